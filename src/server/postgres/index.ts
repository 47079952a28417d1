export {
  type PostgresClient,
  type PostgresPool,
  type PostgresTaskStoreOptions,
  postgresTaskStore,
} from './postgresTaskStore.js'
