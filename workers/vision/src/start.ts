import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import type { ModelRecord } from '@chorus/contract';
import { createOcr } from '@chorus/ocr';
import { createOutbound } from '@chorus/outbound';
import { openProvenance } from '@chorus/provenance';
import type { OpenedProviders } from '@chorus/providers';
import { createHandlers, type ProcessParts, type Started, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';
import { OCR_MODEL } from './handlers/iris-ocr.ts';

/** The embedded engine, which needs no key. */
const EMBEDDED_OCR: ModelRecord = {
  id: OCR_MODEL,
  object: 'model',
  created: 0,
  owned_by: 'embedded',
  capabilities: ['ocr'],
  context_window: null,
};

/** Starts the worker of the pool `vision`. */
export async function startVision({
  config,
  connections,
  providers,
}: ProcessParts & { providers: OpenedProviders }): Promise<Started> {
  const { log, database, eventLog } = connections;
  const provenance = await openProvenance(config, { database, log });
  const ocr = createOcr({ ...config.ocr, log });
  const engine = await ocr.engine();
  const assets = createAssets({
    database,
    blobs: createBlobs(config.blobs, log),
    log,
    limits: config.assets.limits,
    quotaBytes: () => config.assets.quotaBytes,
  });
  const pool = await startPool({
    pool: 'vision',
    handlers: createHandlers('vision', handlers, {
      assets,
      ocr,
      outbound: createOutbound(config.outbound),
      provenance,
      providers,
      maxBytes: config.assets.limits.uploadBytes,
    }),
    redis: config.redis,
    store: database,
    eventLog,
    lease: connections.lease,
    concurrency: config.pools.vision.concurrency,
    calls: config.pools.vision.calls,
    lanes: providers.lanes,
    shards: config.queue.shards,
    log,
    onHealthChange: providers.onChange,
    health: () => ({
      models: [EMBEDDED_OCR, ...providers.models().filter(({ capabilities }) => capabilities.includes('vision'))],
      providers: providers.status(),
      default_model: null,
      ocr: engine,
    }),
  });
  return {
    async close() {
      await pool.close(config.shutdownGraceMs);
      await ocr.close();
      provenance.close();
    },
  };
}
