export {
  connectRedis,
  defineScript,
  logOutages,
  type RedisConfig,
  type RedisConnection,
  type RedisRole,
} from './connect-redis.ts';
export { warnOfEviction } from './warn-of-eviction.ts';
