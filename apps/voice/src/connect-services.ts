import { createAccounts, createRateLimits, createUserPlaces } from '@chorus/accounts';
import { createVoiceStates } from '@chorus/conversations';
import { connectDatabase } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, logOutages } from '@chorus/events';
import { followBudgets, followOperatorSettings } from '@chorus/executions';
import { createDispatcher, createWorkerRegistry } from '@chorus/queue';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import type { VoiceServices } from './voice-services.ts';

export type VoiceConfig = VoiceServices['config'] &
  Pick<
    Config,
    | 'mongodbUri'
    | 'secretKey'
    | 'auth'
    | 'rateLimits'
    | 'perUser'
    | 'fixedLimits'
    | 'assets'
    | 'queue'
    | 'events'
    | 'iris'
  >;

/**
 * Connects to the stores when the voice socket runs as its own process.
 * Retries until the document store is reachable.
 *
 * @returns the services, and a function that closes their connections
 */
export async function connectServices(
  configured: VoiceConfig,
  log: Logger,
): Promise<{ services: VoiceServices; close: () => Promise<void> }> {
  const database = await connectDatabase({
    uri: configured.mongodbUri,
    secretKey: configured.secretKey,
    log,
    waits: true,
  });
  const redis = connectRedis(configured.redis, 'request');
  const subscriber = connectRedis(configured.redis, 'worker');
  for (const connection of [redis, subscriber]) logOutages(connection, configured.redis, log);
  const settings = await followOperatorSettings(configured, { database, redis, log });
  const { config } = settings;
  const hub = createEventHub(redis, subscriber, log);
  const eventLog = createEventLog(redis, config.events);
  const budgets = await followBudgets({ database, redis, log });
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: config.queue,
    shards: config.queue.shards,
    perUser: () => config.perUser.executions,
    budgets,
    log,
  });
  const userPlaces = createUserPlaces(redis, config.perUser);
  const accounts = await createAccounts({ database, redis, log, config: config.auth });
  return {
    services: {
      config,
      log,
      database,
      accounts,
      rateLimits: createRateLimits(redis, config.rateLimits),
      userPlaces,
      dispatcher,
      registry: createWorkerRegistry(redis),
      hub,
      eventLog,
      redis,
      voiceStates: createVoiceStates(redis),
    },
    close: async () => {
      settings.stop();
      budgets.stop();
      userPlaces.close();
      hub.close();
      await accounts.close();
      await dispatcher.close();
      redis.disconnect();
      await database.close();
    },
  };
}
