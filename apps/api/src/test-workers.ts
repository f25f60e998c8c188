import type { AgentTool } from '@chorus/agent-tools';
import { PROVIDERS } from '@chorus/contract';
import { createProvenance } from '@chorus/provenance';
import { createProviders } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '@chorus/testing';
import { createHandlers, startPool } from '@chorus/worker-kit';
import * as media from '../../../workers/media/src/handlers/index.ts';
import * as text from '../../../workers/text/src/handlers/index.ts';
import { titleSessions } from '../../../workers/text/src/title-sessions.ts';
import { startTestApi, type TestApi } from './test-api.ts';

export interface TestWorkersApi extends TestApi {
  /** Serves the providers `openai` and `compatible`. */
  readonly fake: FakeOpenAI;
}

/**
 * Starts the API with real workers for texts and media, whose providers are a fake one and the embedded one.
 * @param tools those of every agent
 */
export async function startWorkersApi(
  options: FakeOpenAIOptions = {},
  env: Record<string, string> = {},
  tools: readonly AgentTool[] = [],
): Promise<TestWorkersApi> {
  const [api, fake] = await Promise.all([startTestApi(env), startFakeOpenAI(options)]);
  const { database, eventLog, assets } = api.services;
  const log = createLogger({ name: 'test', level: 'silent' });
  const at = (name: string) => (name === 'openai' || name === 'compatible' ? fake.url : null);
  const settings = PROVIDERS.map((name) => [name, { apiKey: at(name) && 'key', baseUrl: at(name) }]);
  const providers = createProviders(Object.fromEntries(settings), { log });
  await providers.ready();
  const provenance = await createProvenance({ database, certificate: null, log });
  const shared = {
    redis: { url: api.redis.url, cluster: false },
    store: database,
    eventLog,
    concurrency: 8,
    log,
    health: () => ({ models: providers.models(), providers: providers.status(), default_model: null }),
  };
  const { dispatcher } = api.services;
  const { titles } = api.config.chat;
  // Other tests count the provider's calls.
  const naming = titles.model === null ? null : titleSessions({ database, dispatcher, model: titles.model, log });
  const findPassages = () => Promise.reject(new Error('these workers use no knowledge'));
  const pools = await Promise.all([
    startPool({
      ...shared,
      pool: 'text',
      handlers: createHandlers('text', text, {
        database,
        assets,
        providers,
        findPassages,
        publishToFeed: eventLog.publishToFeed,
        readDocument: findPassages,
        openTools: async () => tools,
      }),
      ...(naming && { onEnded: naming.onEnded }),
    }),
    startPool({
      ...shared,
      pool: 'media',
      handlers: createHandlers('media', media, { assets, provenance, providers }),
    }),
  ]);
  return {
    ...api,
    fake,
    stop: async () => {
      await Promise.all(pools.map((pool) => pool.close(0)));
      await naming?.close();
      provenance.close();
      providers.close();
      await Promise.all([api.stop(), fake.close()]);
    },
  };
}
