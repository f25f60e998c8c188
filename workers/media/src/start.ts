import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import type { ModelRecord } from '@chorus/contract';
import { openProvenance } from '@chorus/provenance';
import type { OpenedProviders } from '@chorus/providers';
import { createHandlers, type ProcessParts, type Started, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';

const isMedia = ({ capabilities }: ModelRecord) => capabilities.includes('image') || capabilities.includes('video');

/** Starts the worker of the pool `media`. */
export async function startMedia({
  config,
  connections,
  providers,
}: ProcessParts & { providers: OpenedProviders }): Promise<Started> {
  const { log, database, eventLog } = connections;
  const provenance = await openProvenance(config, { database, log });
  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({
    database,
    blobs,
    log,
    limits: config.assets.limits,
    quotaBytes: () => config.assets.quotaBytes,
    publishToFeed: eventLog.publishToFeed,
  });
  const pool = await startPool({
    pool: 'media',
    handlers: createHandlers('media', handlers, { assets, provenance, providers }),
    redis: config.redis,
    store: database,
    eventLog,
    lease: connections.lease,
    concurrency: config.pools.media.concurrency,
    calls: config.pools.media.calls,
    lanes: providers.lanes,
    shards: config.queue.shards,
    log,
    onHealthChange: providers.onChange,
    health: () => ({
      models: providers.models().filter(isMedia),
      providers: providers.status(),
      default_model: null,
    }),
  });
  return {
    async close() {
      await pool.close(config.shutdownGraceMs);
      provenance.close();
    },
  };
}
