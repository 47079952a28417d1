export {
  type PostgresClient,
  type PostgresPool,
  type PostgresResult,
  type PostgresTaskStoreOptions,
  postgresTaskStore,
} from './postgresTaskStore.js'
