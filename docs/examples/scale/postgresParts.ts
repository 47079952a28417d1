import { createPostgresBackend, withBackend } from 'bullmq'
import { Pool } from 'pg'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { postgresTaskStore } from 'taskwire/server/postgres'

const connectionString = process.env['DATABASE_URL'] ?? 'postgres://127.0.0.1/reports'

export const store = postgresTaskStore({ pool: new Pool({ connectionString }) })
// `migrate` creates BullMQ's tables; ours creates its own.
const connection = { connectionString, migrate: true }
export const queue = bullmqQueue({ ...withBackend(createPostgresBackend), connection })
