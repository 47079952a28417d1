export type { PostgresClient, PostgresPool, PostgresResult, PostgresStatement } from './postgresPool.js'
export { type PostgresTaskStoreOptions, postgresTaskStore } from './postgresTaskStore.js'
