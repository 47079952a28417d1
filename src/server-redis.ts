/**
 * Tasks in Redis or Valkey, shared by all processes of a server.
 *
 * @packageDocumentation
 */
export { type RedisClient, type RedisTaskStoreOptions, redisTaskStore } from './server/redis/redisTaskStore.js'
