import { createAccounts, createRateLimits, createUserPlaces } from '@chorus/accounts';
import type { McpPool } from '@chorus/agent-tools/toolbox';
import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { isStoreUnavailable } from '@chorus/contract';
import { createVoiceLines, createVoiceMarks, createVoiceStates } from '@chorus/conversations';
import { followSettings } from '@chorus/events';
import { LaneReader, openAddresses } from '@chorus/executions';
import { blankQuotes, finishDeletion, KnowledgeKeys, readEntryText } from '@chorus/knowledge';
import { createOutbound } from '@chorus/outbound';
import { connectProducer, createDeletions } from '@chorus/queue';
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
  Pick<
    Config,
    | 'redis'
    | 'mongodbUri'
    | 'secretKey'
    | 'auth'
    | 'rateLimits'
    | 'outbound'
    | 'index'
    | 'modelPrices'
    | 'defaultPrices'
  >;

/** Retries a startup step while the store is down, since it may be restarting. */
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
  const { connected, close } = await connectProducer(configured, log);
  const { config, database, redis, subscriber, hub, eventLog, dispatcher, registry } = connected;
  const stopFollowing = await followSettings({ redis, subscriber, log }, 'provider_keys', async () =>
    registry.expectChange(),
  );
  const accounts = await retryAtStart(() => createAccounts({ database, redis, log, config: config.auth }));
  const addresses = await retryAtStart(() => openAddresses(database, config));
  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({
    database,
    blobs,
    log,
    limits: config.assets.limits,
    quotaBytes: () => config.assets.quotaBytes,
    publishToFeed: eventLog.publishToFeed,
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
      ...connected,
      configured,
      accounts,
      rateLimits,
      userPlaces,
      deletions,
      blobs,
      assets,
      knowledgeKeys,
      readEntry: (...asked) => readEntryText({ database, blobs, keys: knowledgeKeys }, ...asked),
      addresses,
      lanes: new LaneReader(redis),
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
    close: () =>
      close(async () => {
        stopFollowing();
        userPlaces.close();
        await (await mcpPool)?.close();
        await accounts.close();
        search.close();
        blobs.close();
      }),
  };
}
