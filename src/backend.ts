/**
 * Clients for a backend, one for each user, and the storages that keep the records of their calls.
 *
 * @packageDocumentation
 */

export {
  type ClientPool,
  type ClientPoolOptions,
  createClientPool,
  type PooledClientOptions,
} from './bridge/backend/createClientPool.js'
export { fileStorage } from './bridge/backend/fileStorage.js'
export {
  type PostgresEnvironmentOptions,
  postgresEnvironment,
} from './bridge/backend/inPostgres/postgresEnvironment.js'
export { type PostgresStorageOptions, postgresStorage } from './bridge/backend/inPostgres/postgresStorage.js'
export { postgresBackendDdl } from './bridge/backend/inPostgres/tables.js'
export type { RecordsRedis } from './bridge/backend/inRedis/backendRedis.js'
export {
  type RedisEnvironmentOptions,
  redisEnvironment,
  type SharingRedis,
} from './bridge/backend/inRedis/redisEnvironment.js'
export { type RedisStorageOptions, redisStorage } from './bridge/backend/inRedis/redisStorage.js'
export type { BackendEnvironment } from './bridge/backend/leases/backendEnvironment.js'
export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
  PostgresStatement,
} from './server/postgres/postgresPool.js'
