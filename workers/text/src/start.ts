import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { findPassages, keepSearchReady } from '@chorus/knowledge';
import type { Providers } from '@chorus/providers';
import { openSearch } from '@chorus/search';
import { createHandlers, type ProcessParts, type Started, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';

/** Starts the worker of the pool `text`. */
export async function startText({
  config,
  connections,
  providers,
}: ProcessParts & { providers: Providers }): Promise<Started> {
  const { log, database, eventLog } = connections;
  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({ database, blobs, log, ...config.assets });
  const search = openSearch({ ...config.index, log });
  const passages = { database, search, embed: providers.embedTexts, log };
  const pool = await startPool({
    pool: 'text',
    handlers: createHandlers('text', handlers, {
      database,
      assets,
      providers,
      findPassages: (...asked) => findPassages(passages, ...asked),
      // The tools of agents are opened here: `createToolbox(...).open` of @chorus/agent-tools.
      openTools: async () => [],
      ...(config.chat.timeoutMs && { turnTimeoutMs: config.chat.timeoutMs }),
    }),
    redis: config.redis,
    store: database,
    eventLog,
    lease: connections.lease,
    concurrency: config.pools.text.concurrency,
    shards: config.queue.shards,
    timeoutMs: config.chat.timeoutMs,
    log,
    health: () => ({
      models: providers.models(),
      providers: providers.status(),
      default_model: config.chat.defaultModel ?? providers.defaultModel(),
    }),
  });
  const stopPreparing = keepSearchReady(passages);
  const first = providers.defaultModel();
  const names = providers.models().map(({ id }) => id);
  return {
    report: { models: [...(first === null ? [] : [first]), ...names.filter((id) => id !== first)] },
    async close() {
      void stopPreparing(); // not awaited: it may be loading a model
      await pool.close(config.shutdownGraceMs);
      search.close();
      blobs.close();
    },
  };
}
