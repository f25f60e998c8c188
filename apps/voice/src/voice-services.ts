import type { Accounts, RateLimits, UserPlaces } from '@chorus/accounts';
import type { Config } from '@chorus/config';
import type { VoiceStates } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { EventHub, EventLog, RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/log';
import type { Dispatcher, WorkerRegistry } from '@chorus/queue';

/** All that the voice socket works with: of the API's own, where it serves beside the routes. */
export interface VoiceServices {
  config: Pick<
    Config,
    | 'http'
    | 'redis'
    | 'chat'
    | 'voice'
    | 'providers'
    | 'providerIdleTimeoutMs'
    | 'embeddedModelPath'
    | 'shutdownGraceMs'
  >;
  log: Logger;
  database: Database;
  accounts: Accounts;
  rateLimits: RateLimits;
  userPlaces: UserPlaces;
  dispatcher: Dispatcher;
  registry: WorkerRegistry;
  hub: EventHub;
  eventLog: EventLog;
  /** For commands; fails within seconds while Redis is away. */
  redis: RedisConnection;
  voiceStates: VoiceStates;
}
