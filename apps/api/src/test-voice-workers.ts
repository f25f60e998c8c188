import { setImmediate as nextTurn } from 'node:timers/promises';
import { PROVIDERS, type ProviderName } from '@chorus/contract';
import { openProvenance } from '@chorus/provenance';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { createSpeechEncoder, SoundDecoder } from '@chorus/speech';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '@chorus/testing';
import { createHandlers, startPool } from '@chorus/worker-kit';
import * as handlers from '../../../workers/voice/src/handlers/index.ts';
import { startTestApi, type TestApi } from './test-api.ts';

export interface TestVoiceApi extends TestApi {
  /** Serves the provider `openai`. */
  readonly fake: FakeOpenAI;
  readonly providers: Providers;
}

/** Starts the API with a real voice worker, whose providers are a fake one and the embedded one. */
export async function startVoiceApi(options: FakeOpenAIOptions = {}): Promise<TestVoiceApi> {
  const [api, fake] = await Promise.all([startTestApi(), startFakeOpenAI(options)]);
  const { database, eventLog, assets, dispatcher, hub, voiceStates: states } = api.services;
  const log = createLogger({ name: 'test', level: 'silent' });
  const at = (name: ProviderName) => (name === 'openai' ? fake.url : null);
  const settings = PROVIDERS.map((name) => [name, { apiKey: at(name) && 'key', baseUrl: at(name) }]);
  const providers = createProviders(Object.fromEntries(settings), { log });
  await providers.ready();
  const wanted = options.models ?? [];
  const isListed = () => wanted.every((id) => providers.models().some((model) => model.id === `openai/${id}`));
  // The list of models arrives in the background.
  while (!isListed()) await nextTurn();
  const provenance = await openProvenance(api.config, { database, log });
  const decoder = new SoundDecoder();
  const parts = { database, eventLog, hub, states, dispatcher, assets, provenance, decoder, providers };
  const models = () => providers.models();
  const pool = await startPool({
    pool: 'voice',
    handlers: createHandlers('voice', handlers, parts),
    redis: { url: api.redis.url, cluster: false },
    store: database,
    eventLog,
    concurrency: 8,
    log,
    health: () => ({
      models: models(),
      voices: models().flatMap(({ id, capabilities }) =>
        capabilities.includes('speech') ? providers.voices(id).map((voice) => ({ model: id, ...voice })) : [],
      ),
      providers: providers.status(),
      default_model: null,
    }),
  });
  const stop = async () => {
    await pool.close(0);
    providers.close();
    provenance.close();
    decoder.close();
    await Promise.all([api.stop(), fake.close()]);
  };
  return { ...api, fake, providers, stop };
}

/** Returns samples as a WAV file. */
export async function wavOf(pcm: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = createSpeechEncoder('wav');
  await encoder.push(pcm);
  return new Uint8Array((await encoder.end()).file);
}
