import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import type { ModelRecord } from '@chorus/contract';
import { openProvenance } from '@chorus/provenance';
import { openProviders } from '@chorus/providers';
import { exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { connectWorker, createHandlers, onShutdown, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';

const isMedia = ({ capabilities }: ModelRecord) => capabilities.includes('image') || capabilities.includes('video');

await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const connections = await connectWorker('worker-media', config);
  const { log, database, eventLog } = connections;
  const providers = await openProviders(config, connections);
  const provenance = await openProvenance(config, { database, log });
  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({ database, blobs, log, ...config.assets, tell: eventLog.tell });
  const pool = await startPool({
    pool: 'media',
    handlers: createHandlers('media', handlers, { assets, provenance, providers }),
    redis: config.redis,
    store: database,
    eventLog,
    concurrency: config.pools.media.concurrency,
    log,
    health: () => ({
      models: providers.models().filter(isMedia),
      providers: providers.status(),
      default_model: null,
    }),
  });
  onShutdown(log, async () => {
    await pool.close(config.shutdownGraceMs);
    provenance.close();
    providers.close();
    await connections.close();
  });
  reportReady();
  log.info({ concurrency: config.pools.media.concurrency }, 'ready');
});
