/**
 * Clients and records of a backend: a client for each user, and where their calls are recorded.
 *
 * @packageDocumentation
 */

export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
  PostgresStatement,
} from '../server/postgres/postgresPool.js'
export {
  type ClientPool,
  type ClientPoolOptions,
  createClientPool,
  type PooledClientOptions,
} from './createClientPool.js'
export { fileStorage } from './fileStorage.js'
export { type PostgresEnvironmentOptions, postgresEnvironment } from './inPostgres/postgresEnvironment.js'
export { type PostgresStorageOptions, postgresStorage } from './inPostgres/postgresStorage.js'
export { postgresBackendDdl } from './inPostgres/tables.js'
export type { RecordsRedis } from './inRedis/backendRedis.js'
export { type RedisEnvironmentOptions, redisEnvironment, type SharingRedis } from './inRedis/redisEnvironment.js'
export { type RedisStorageOptions, redisStorage } from './inRedis/redisStorage.js'
export type { BackendEnvironment } from './leases/backendEnvironment.js'
