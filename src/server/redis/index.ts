export { type RedisClient, type RedisTaskStoreOptions, redisTaskStore } from './redisTaskStore.js'
