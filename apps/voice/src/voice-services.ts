import type { Accounts, RateLimits, UserPlaces } from '@chorus/accounts';
import type { VoiceStates } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { EventHub, EventLog, RedisConnection } from '@chorus/events';
import type { CallObserver } from '@chorus/providers';
import type { Dispatcher, WorkerRegistry } from '@chorus/queue';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';

/** Dependencies of the voice socket, shared with the API when it is mounted there. */
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
    | 'modelLimits'
    | 'modelPrices'
    | 'defaultPrices'
    | 'modelsFolder'
    | 'shutdownGraceMs'
  >;
  log: Logger;
  /** Measures calls to providers. */
  observer?: CallObserver;
  database: Database;
  accounts: Accounts;
  rateLimits: RateLimits;
  userPlaces: UserPlaces;
  dispatcher: Dispatcher;
  registry: WorkerRegistry;
  hub: EventHub;
  eventLog: EventLog;
  /** Connection for commands; fails within seconds while Redis is down. */
  redis: RedisConnection;
  voiceStates: VoiceStates;
}
