/**
 * Tasks in Postgres, shared by all processes of a server.
 *
 * @packageDocumentation
 */
export { postgresDdl } from './migrations.js'
export type { PostgresClient, PostgresPool, PostgresResult, PostgresStatement } from './postgresPool.js'
export { type PostgresQueueOptions, postgresQueue } from './postgresQueue.js'
export { type PostgresTaskStoreOptions, postgresTaskStore } from './postgresTaskStore.js'
export { migratePostgres } from './schema.js'
