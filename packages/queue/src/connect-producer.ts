import { connectDatabase } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, logOutages, warnOfEviction } from '@chorus/events';
import { followBudgets, followOperatorSettings, type ModelConfig } from '@chorus/executions';
import { usePrices } from '@chorus/providers/usage';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import { createDispatcher } from './dispatcher.ts';
import { createWorkerRegistry } from './worker-registry.ts';

export type ProducerConfig = Pick<
  Config,
  | 'redis'
  | 'mongodbUri'
  | 'secretKey'
  | 'events'
  | 'queue'
  | 'perUser'
  | 'fixedLimits'
  | 'rateLimits'
  | 'assets'
  | 'modelPrices'
  | 'defaultPrices'
> &
  ModelConfig;

/**
 * Connects a process that accepts requests to the stores and queues. Logs and waits while the document store is
 * unreachable.
 */
export async function connectProducer<T extends ProducerConfig>(configured: T, log: Logger) {
  const database = await connectDatabase({
    uri: configured.mongodbUri,
    secretKey: configured.secretKey,
    log,
    waits: true,
  });
  const redis = connectRedis(configured.redis, 'request');
  const subscriber = connectRedis(configured.redis, 'worker');
  for (const connection of [redis, subscriber]) logOutages(connection, configured.redis, log);
  warnOfEviction(subscriber, configured.redis, log);
  const settings = await followOperatorSettings(configured, { database, redis, subscriber, log });
  const { config } = settings;
  const hub = createEventHub(redis, subscriber, log);
  const eventLog = createEventLog(redis, config.events);
  usePrices(config.modelPrices, config.defaultPrices);
  const budgets = await followBudgets({ database, redis, subscriber, log });
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: config.queue,
    fallbacks: () => config.chat.fallbacks,
    shards: config.queue.shards,
    perUser: () => config.perUser.executions,
    budgets,
    log,
  });
  return {
    connected: {
      config,
      log,
      database,
      redis,
      subscriber,
      hub,
      eventLog,
      budgets,
      dispatcher,
      registry: createWorkerRegistry(redis, log),
    },
    /** Closes the connections after `closeOthers`, which may still use them. */
    close: async (closeOthers: () => Promise<void>) => {
      settings.stop();
      budgets.stop();
      hub.close();
      await closeOthers();
      await dispatcher.close();
      redis.disconnect();
      await database.close();
    },
  };
}
