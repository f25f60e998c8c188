import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { findPassages, keepSearchReady } from '@chorus/knowledge';
import { openProviders } from '@chorus/providers';
import { exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { openSearch } from '@chorus/search';
import { connectWorker, createHandlers, onShutdown, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';

await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const connections = await connectWorker('worker-text', { ...config, secretKey: null });
  const { log, database, eventLog } = connections;
  const providers = await openProviders(config, connections);
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
      ...(config.chat.timeoutMs && { turnTimeoutMs: config.chat.timeoutMs }),
    }),
    redis: config.redis,
    store: database,
    eventLog,
    concurrency: config.pools.text.concurrency,
    timeoutMs: config.chat.timeoutMs,
    log,
    health: () => ({
      models: providers.models(),
      providers: providers.status(),
      default_model: config.chat.defaultModel ?? providers.defaultModel(),
    }),
  });
  const stopPreparing = keepSearchReady(passages);
  onShutdown(log, async () => {
    await Promise.all([pool.close(config.shutdownGraceMs), stopPreparing()]);
    providers.close();
    search.close();
    blobs.close();
    await connections.close();
  });
  const first = providers.defaultModel();
  const names = providers.models().map(({ id }) => id);
  reportReady({ models: [...(first === null ? [] : [first]), ...names.filter((id) => id !== first)] });
  log.info({ concurrency: config.pools.text.concurrency }, 'ready');
});
