import { once } from 'node:events';
import { PROVIDERS, type ProviderName } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { createProviders } from '@chorus/providers';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '@chorus/testing';
import { startPool } from '@chorus/worker-kit';
import { createHandlers } from '../../../../workers/text/src/handlers/index.ts';
import { startTestVoice, type TestSocket, type TestVoice } from '../test-voice.ts';

export interface TestConversation extends TestVoice {
  readonly fake: FakeOpenAI;
  /** A socket whose answers `model` of the fake provider writes. */
  talk(model: string, path?: string): Promise<TestSocket>;
}

/** The voice socket with a text worker in this process, and a provider that writes, speaks and hears. @param more variables of the configuration */
export async function startTestConversation(
  options: FakeOpenAIOptions = {},
  tls?: { cert: string; key: string },
  more: Record<string, string> = {},
): Promise<TestConversation> {
  const fake = await startFakeOpenAI(options);
  const env = {
    COMPATIBLE_BASE_URL: fake.url,
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: fake.url,
    DEFAULT_SPEECH_MODEL: 'openai/gpt-4o-mini-tts',
    DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
    ...more,
  };
  const voice = await startTestVoice(env, tls);
  const { services } = voice;
  const log = createLogger({ name: 'test', level: 'silent' });
  const at = (name: ProviderName) => (name === 'compatible' ? fake.url : null);
  const settings = PROVIDERS.map((name) => [name, { apiKey: at(name) && 'key', baseUrl: at(name) }]);
  const providers = createProviders(Object.fromEntries(settings), { log });
  await providers.ready();
  const unused = () => Promise.reject(new Error('these turns have no knowledge and no pictures'));
  const assets = { get: unused, read: unused, view: unused };
  const pool = await startPool({
    pool: 'text',
    handlers: createHandlers({ database: services.database, assets, providers, findPassages: unused }),
    redis: services.config.redis,
    store: services.database,
    eventLog: services.eventLog,
    concurrency: 64,
    log,
    health: () => ({ models: providers.models(), providers: providers.status(), default_model: 'compatible/words-20' }),
  });
  return {
    ...voice,
    fake,
    talk: async (model, path = '') => {
      const socket = voice.open(`/api/v1/voice/ws?model=compatible/${model}${path}`);
      await once(socket.client, 'open');
      return socket;
    },
    stop: async () => {
      await voice.stop();
      await pool.close(0);
      providers.close();
      await fake.close();
    },
  };
}
