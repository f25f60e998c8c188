import { createAccounts, createRateLimits, createUserPlaces } from '@chorus/accounts';
import type { McpPool } from '@chorus/agent-tools/toolbox';
import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { isStoreUnavailable } from '@chorus/contract';
import { createVoiceLines, createVoiceMarks, createVoiceStates } from '@chorus/conversations';
import { connectDatabase } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, followSettings, logOutages } from '@chorus/events';
import { followBudgets, followOperatorSettings, openAddresses } from '@chorus/executions';
import { blankQuotes, finishDeletion, KnowledgeKeys, readEntryText } from '@chorus/knowledge';
import { createOutbound } from '@chorus/outbound';
import { createDeletions, createDispatcher, createWorkerRegistry } from '@chorus/queue';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import { backoff, retryWhile } from '@chorus/runtime/timing';
import { openSearch } from '@chorus/search';
import { BatchWatches } from './batches/batch-watches.ts';
import { Metrics } from './metrics.ts';
import { OpenStreams } from './open-streams.ts';
import type { Services } from './services.ts';

/** The configuration that the API needs. */
export type ApiConfig = Services['config'] &
  Pick<Config, 'redis' | 'mongodbUri' | 'secretKey' | 'auth' | 'rateLimits' | 'outbound' | 'index'>;

/** Retries a startup step while the store is away, since it may be restarting. */
export const retryAtStart = <T>(step: () => Promise<T>): Promise<T> =>
  retryWhile(isStoreUnavailable, step, { pausesMs: backoff(200), deadlineMs: 10_000 });

/**
 * Connects to all services. Waits, and logs, while the document store is unreachable.
 * @returns the services, and a function that closes their connections
 */
export async function connectServices(
  configured: ApiConfig,
  log: Logger,
): Promise<{ services: Services; close: () => Promise<void> }> {
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
  const registry = createWorkerRegistry(redis);
  const stopFollowing = await followSettings({ redis, log }, 'provider_keys', async () => registry.expectChange());
  const accounts = await retryAtStart(() => createAccounts({ database, redis, log, config: config.auth }));
  const addresses = await retryAtStart(() => openAddresses(database, config));
  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({
    database,
    blobs,
    log,
    limits: config.assets.limits,
    quotaBytes: () => config.assets.quotaBytes,
    tell: eventLog.tell,
  });
  const deletions = createDeletions({
    database,
    eventLog,
    dispatcher,
    assets,
    removeEntry: (entry) => finishDeletion({ database, search, assets, blobs, keys: knowledgeKeys }, entry),
    blankQuotes: (owner, id) => blankQuotes({ database, assets, eventLog }, owner, id),
    log,
  });
  const knowledgeKeys = new KnowledgeKeys(database);
  const search = openSearch({ ...config.index, log });
  const rateLimits = createRateLimits(redis, config.rateLimits);
  const userPlaces = createUserPlaces(redis, config.perUser);
  const outbound = createOutbound(config.outbound);
  let mcpPool: Promise<McpPool> | undefined;
  const openMcpPool = async () => {
    const { McpPool } = await import('@chorus/agent-tools/toolbox');
    return new McpPool({ outbound, log });
  };
  const streams = new OpenStreams();
  const metrics = new Metrics({ openStreams: () => streams.size });
  return {
    services: {
      config,
      configured,
      log,
      database,
      accounts,
      rateLimits,
      userPlaces,
      dispatcher,
      budgets,
      deletions,
      registry,
      hub,
      eventLog,
      redis,
      blobs,
      assets,
      knowledgeKeys,
      readEntry: (...asked) => readEntryText({ database, blobs, keys: knowledgeKeys }, ...asked),
      addresses,
      search,
      outbound,
      mcpPool: () => {
        mcpPool ??= openMcpPool();
        return mcpPool;
      },
      metrics,
      streams,
      voiceStates: createVoiceStates(redis),
      voiceLines: createVoiceLines(redis, hub, log),
      voiceMarks: createVoiceMarks(redis),
      batchWatches: new BatchWatches(database.batches),
    },
    close: async () => {
      settings.stop();
      budgets.stop();
      stopFollowing();
      userPlaces.close();
      hub.close();
      await (await mcpPool)?.close();
      await accounts.close();
      await dispatcher.close();
      redis.disconnect();
      search.close();
      blobs.close();
      await database.close();
    },
  };
}
