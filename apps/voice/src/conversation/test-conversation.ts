import { once } from 'node:events';
import { PROVIDERS, type ProviderName } from '@chorus/contract';
import { createProviders } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '@chorus/testing';
import { createHandlers, startPool } from '@chorus/worker-kit';
import type { AgentParts } from '../../../../workers/text/src/handlers/agent/agent-turn.ts';
import * as handlers from '../../../../workers/text/src/handlers/index.ts';
import { startTestVoice, type TestSocket, type TestVoice } from '../test-voice.ts';

export interface TestConversation extends TestVoice {
  readonly fake: FakeOpenAI;
  /** Opens a socket whose answers come from `model` of the fake provider. */
  talk(model: string, path?: string): Promise<TestSocket>;
}

/**
 * Runs the voice socket and a text worker in this process, with a fake provider. @param more configuration
 * variables
 */
export async function startTestConversation(
  options: FakeOpenAIOptions = {},
  tls?: { cert: string; key: string },
  more: Record<string, string> = {},
  tools: Awaited<ReturnType<AgentParts['openTools']>> = [],
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
  const unused = () => Promise.reject(new Error('turns in this test use no knowledge and no images'));
  const assets = { get: unused, read: unused, view: unused, create: unused };
  const pool = await startPool({
    pool: 'text',
    handlers: createHandlers('text', handlers, {
      database: services.database,
      assets,
      providers,
      findPassages: unused,
      readDocument: unused,
      openTools: async () => tools,
    }),
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
