import { PROVIDERS } from '@chorus/contract';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '@chorus/testing';
import { createHandlers, startPool } from '@chorus/worker-kit';
import * as handlers from '../../../workers/text/src/handlers/index.ts';
import { startTestApi, type TestApi } from './test-api.ts';

export interface TestTextApi extends TestApi {
  /** Serves the providers `openai` and `compatible`. */
  readonly fake: FakeOpenAI;
  readonly providers: Providers;
}

/** Starts the API with a real text worker, whose providers are a fake one and the embedded one. */
export async function startTextApi(options: FakeOpenAIOptions = {}, env: Record<string, string> = {}) {
  const [api, fake] = await Promise.all([startTestApi(env), startFakeOpenAI(options)]);
  const { database, eventLog, assets } = api.services;
  const log = createLogger({ name: 'test', level: 'silent' });
  const at = (name: string) => (name === 'openai' || name === 'compatible' ? fake.url : null);
  const settings = PROVIDERS.map((name) => [name, { apiKey: at(name) && 'key', baseUrl: at(name) }]);
  const providers = createProviders(Object.fromEntries(settings), { log });
  await providers.ready();
  const pool = await startPool({
    pool: 'text',
    handlers: createHandlers('text', handlers, {
      database,
      assets,
      providers,
      findPassages: () => Promise.reject(new Error('tests of this worker use no knowledge')),
    }),
    redis: { url: api.redis.url, cluster: false },
    store: database,
    eventLog,
    concurrency: 8,
    log,
    health: () => ({ models: providers.models(), providers: providers.status(), default_model: null }),
  });
  const stop = async () => {
    await pool.close(0);
    providers.close();
    await Promise.all([api.stop(), fake.close()]);
  };
  return { ...api, fake, providers, stop } satisfies TestTextApi;
}
