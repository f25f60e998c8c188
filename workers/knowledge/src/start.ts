import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { createDocuments } from '@chorus/documents';
import { KnowledgeKeys } from '@chorus/knowledge';
import { createOcr } from '@chorus/ocr';
import { createOutbound } from '@chorus/outbound';
import type { OpenedProviders } from '@chorus/providers';
import { openSearch } from '@chorus/search';
import { SoundDecoder } from '@chorus/speech';
import { createHandlers, type ProcessParts, type Started, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';
import { keepMoving } from './keep-moving.ts';

/** Each may take a child process and a gigabyte of memory. Further jobs are short texts, or wait. */
const MIN_LONG_DOCUMENTS = 4;

/** Starts the worker of the pool `knowledge`. */
export async function startKnowledge({
  config,
  connections,
  providers,
}: ProcessParts & { providers: OpenedProviders }): Promise<Started> {
  const { log, database, eventLog, redis } = connections;
  const { embeddingModel } = config.knowledge;
  const blobs = createBlobs(config.blobs, log);
  const { concurrency } = config.pools.knowledge;
  const longDocuments = Math.min(concurrency, Math.max(MIN_LONG_DOCUMENTS, Math.floor(concurrency / 16)));
  const documents = createDocuments({ log, processes: longDocuments });
  const ocr = createOcr({ ...config.ocr, log });
  const engine = await ocr.engine();
  const decoder = new SoundDecoder();
  const search = openSearch({ ...config.index, log });
  const assets = createAssets({
    database,
    blobs,
    log,
    limits: config.assets.limits,
    quotaBytes: () => config.assets.quotaBytes,
  });
  const keys = new KnowledgeKeys(database);
  await database.knowledgeSpaces.setWanted(embeddingModel);
  const pool = await startPool({
    pool: 'knowledge',
    handlers: createHandlers('knowledge', handlers, {
      assets,
      blobs,
      keys,
      database,
      documents,
      ocr,
      outbound: createOutbound(config.outbound),
      providers,
      search,
      embeddingModel,
      decoder,
      get transcriptionModel() {
        return config.voice.transcriptionModel;
      },
      longDocuments,
      maxBytes: config.assets.limits.uploadBytes,
    }),
    redis: config.redis,
    store: database,
    eventLog,
    lease: connections.lease,
    concurrency,
    lanes: providers.lanes,
    shards: config.queue.shards,
    log,
    onHealthChange: providers.onChange,
    health: () => ({
      models: providers.models().filter(({ capabilities }) => capabilities.includes('embedding')),
      providers: providers.status(),
      default_model: null,
      ocr: engine,
    }),
  });
  const stopMoving = keepMoving(redis, {
    blobs,
    keys,
    database,
    providers,
    search,
    log,
  });
  return {
    async close() {
      await stopMoving();
      await pool.close(config.shutdownGraceMs);
      await Promise.all([documents.close(), ocr.close()]);
      decoder.close();
      search.close();
      blobs.close();
    },
  };
}
