export { connectRedis, type RedisConfig, type RedisConnection } from './connect-redis.ts';
export { createEventHub, type EventHub } from './event-hub.ts';
export { ANY_ATTEMPT, createEventLog, type EventLog, type EventLogLimits } from './event-log.ts';
export type { EventReader } from './event-reader.ts';
export { EventWriter, type Refusal } from './event-writer.ts';
export { isRedisAway } from './is-redis-away.ts';
export { CANCEL_CHANNEL } from './keys.ts';
export { defineScript } from './script.ts';
export type { StoredEvent } from './stored-event.ts';
