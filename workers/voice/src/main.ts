import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import type { ModelRecord, SpeechVoice } from '@chorus/contract';
import { createVoiceStates } from '@chorus/conversations';
import { createEventHub } from '@chorus/events';
import { openProvenance } from '@chorus/provenance';
import { openProviders, type Providers } from '@chorus/providers';
import { createDispatcher } from '@chorus/queue';
import { exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { SoundDecoder } from '@chorus/speech';
import { connectWorker, createHandlers, onShutdown, startPool } from '@chorus/worker-kit';
import * as handlers from './handlers/index.ts';

const speaksOrHears = ({ capabilities }: ModelRecord) =>
  capabilities.includes('speech') || capabilities.includes('transcription');

function voicesOf(providers: Providers): SpeechVoice[] {
  const speaking = providers.models().filter(({ capabilities }) => capabilities.includes('speech'));
  return speaking.flatMap(({ id: model }) => providers.voices(model).map((voice) => ({ model, ...voice })));
}

await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const connections = await connectWorker('worker-voice', config);
  const { log, database, redis, subscriber, eventLog } = connections;
  const providers = await openProviders(config, connections);
  const provenance = await openProvenance(config, { database, log });
  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({ database, blobs, log, ...config.assets, tell: eventLog.tell });
  const hub = createEventHub(redis, subscriber, log);
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits: config.queue, log });
  const decoder = new SoundDecoder();
  decoder.prepare();
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
    concurrency: config.pools.voice.concurrency,
    log,
    health: () => ({
      models: providers.models().filter(speaksOrHears),
      voices: voicesOf(providers),
      providers: providers.status(),
      default_model: null,
    }),
  });
  onShutdown(log, async () => {
    await pool.close(config.shutdownGraceMs);
    await dispatcher.close();
    hub.close();
    provenance.close();
    decoder.close();
    providers.close();
    blobs.close();
    await connections.close();
  });
  reportReady();
  log.info({ concurrency: config.pools.voice.concurrency }, 'ready');
});
