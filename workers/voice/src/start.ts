import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import type { ModelRecord, SpeechVoice } from '@chorus/contract';
import { createVoiceStates } from '@chorus/conversations';
import { followBudgets } from '@chorus/executions';
import { openProvenance } from '@chorus/provenance';
import type { OpenedProviders, Providers } from '@chorus/providers';
import { createDispatcher } from '@chorus/queue';
import { SoundDecoder } from '@chorus/speech';
import { createHandlers, type ProcessParts, type Started, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';

const speaksOrHears = ({ capabilities }: ModelRecord) =>
  capabilities.includes('speech') || capabilities.includes('transcription');

function voicesOf(providers: Providers): SpeechVoice[] {
  const speaking = providers.models().filter(({ capabilities }) => capabilities.includes('speech'));
  return speaking.flatMap(({ id: model }) => providers.voices(model).map((voice) => ({ model, ...voice })));
}

/** Starts the worker of the pool `voice`. */
export async function startVoice({
  config,
  connections,
  providers,
}: ProcessParts & { providers: OpenedProviders }): Promise<Started> {
  const { log, database, redis, hub, eventLog } = connections;
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
  const budgets = await followBudgets(connections);
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: config.queue,
    fallbacks: () => config.chat.fallbacks,
    shards: config.queue.shards,
    budgets,
    log,
  });
  const decoder = new SoundDecoder();
  const pool = await startPool({
    pool: 'voice',
    handlers: createHandlers('voice', handlers, {
      database,
      eventLog,
      hub,
      states: createVoiceStates(redis),
      dispatcher,
      assets,
      provenance,
      decoder,
      providers,
    }),
    redis: config.redis,
    store: database,
    eventLog,
    lease: connections.lease,
    concurrency: config.pools.voice.concurrency,
    calls: config.pools.voice.calls,
    lanes: providers.lanes,
    shards: config.queue.shards,
    log,
    onHealthChange: providers.onChange,
    health: () => ({
      models: providers.models().filter(speaksOrHears),
      voices: voicesOf(providers),
      providers: providers.status(),
      default_model: null,
    }),
  });
  return {
    async close() {
      await pool.close(config.shutdownGraceMs);
      budgets.stop();
      await dispatcher.close();
      provenance.close();
      decoder.close();
      blobs.close();
    },
  };
}
