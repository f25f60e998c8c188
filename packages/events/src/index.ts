export { checkRedisWrites } from './check-redis-writes.ts';
export {
  connectRedis,
  defineScript,
  logOutages,
  type RedisConfig,
  type RedisConnection,
  warnOfEviction,
} from './connection/index.ts';
export { createEventHub, type EventHub, type Listener } from './event-hub.ts';
export {
  ANY_ATTEMPT,
  type AppendResult,
  createEventLog,
  type EventLog,
  type EventLogLimits,
  LOST_EVENTS_GAP,
} from './event-log.ts';
export type { EventReader } from './event-reader.ts';
export { EventWriter, type Refusal } from './event-writer.ts';
export { announceSettings, followSettings, type SettingsConnections } from './follow-settings.ts';
export { fromRedis, isRedisUnavailable } from './from-redis.ts';
export { BATCH_ENDS_CHANNEL, BATCHES_CHANNEL, CANCEL_CHANNEL, runningKey, WEBHOOKS_CHANNEL } from './keys.ts';
export { listenOn } from './listen-on.ts';
export { readPage, type StoredEvent } from './read-log.ts';
export { redisTime } from './redis-time.ts';
export { rewriteAppendOnlyFile } from './rewrite-append-only-file.ts';
export { type FeedEntry, isFeedId, ScopeFeedReader } from './scope-feed-reader.ts';
export { ShownOutput } from './shown-output.ts';
