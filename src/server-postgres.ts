/**
 * Tasks in Postgres, shared by all processes of a server.
 *
 * @packageDocumentation
 */
export { postgresDdl } from './server/postgres/migrations.js'
export type { PostgresClient, PostgresPool, PostgresResult, PostgresStatement } from './server/postgres/postgresPool.js'
export { type PostgresQueueOptions, postgresQueue } from './server/postgres/postgresQueue.js'
export { type PostgresTaskStoreOptions, postgresTaskStore } from './server/postgres/postgresTaskStore.js'
export { migratePostgres } from './server/postgres/schema.js'
