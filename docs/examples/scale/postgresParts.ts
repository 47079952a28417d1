import { Pool } from 'pg'
import { postgresQueue, postgresTaskStore } from 'taskwire/server/postgres'

const connectionString =
  process.env['DATABASE_URL'] ?? 'postgres://127.0.0.1/reports'

const pool = new Pool({ connectionString, connectionTimeoutMillis: 5000 })
export const store = postgresTaskStore({ pool })
export const queue = postgresQueue({ pool })
