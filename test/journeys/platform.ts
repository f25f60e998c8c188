import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FakeOpenAI,
  type FakeOpenAIOptions,
  freePort,
  startFakeOpenAI,
  startRedis,
  startStore,
  type TestRedis,
  type TestStore,
  temporaryFolder,
} from '@chorus/testing';
import { onTestFailed } from 'vitest';
import { ApiClient } from './api-client.ts';
import { PlatformProcess } from './platform-process.ts';

type Variables = Record<string, string>;

/** Children of killed processes may write for a moment. */
const WHEN_UNUSED = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

export interface PlatformOptions {
  /** The repository to run. Default: this one. */
  root?: string;
  /** Initial processes; by default one API and one text worker. */
  apis?: number;
  textWorkers?: number;
  mediaWorkers?: number;
  visionWorkers?: number;
  knowledgeWorkers?: number;
  voiceWorkers?: number;
  maintenance?: number;
  /** Maintenance and all workers but the text worker in one process, as on one machine. It starts faster. */
  background?: number;
  models?: string[];
  script?: NonNullable<FakeOpenAIOptions['script']>;
  /** Transcript of any audio. */
  transcript?: NonNullable<FakeOpenAIOptions['transcript']>;
  env?: Variables;
}

/** All platform processes, with separate stores and a fake provider. */
export interface Platform {
  readonly redis: TestRedis;
  readonly store: TestStore;
  readonly fake: FakeOpenAI;
  readonly dataDir: string;
  /** The initial processes; `start…` does not add to these lists. */
  readonly apis: PlatformProcess[];
  readonly textWorkers: PlatformProcess[];
  readonly mediaWorkers: PlatformProcess[];
  readonly visionWorkers: PlatformProcess[];
  readonly knowledgeWorkers: PlatformProcess[];
  readonly maintenance: PlatformProcess[];
  readonly background: PlatformProcess[];
  readonly login: { email: string; password: string };
  /** The first user in personal scope, at the first API. */
  readonly client: ApiClient;
  /** `root`: the repository to run, if not the platform's. */
  startApi(env?: Variables, root?: string): Promise<PlatformProcess>;
  startTextWorker(env?: Variables, root?: string): Promise<PlatformProcess>;
  startMediaWorker(env?: Variables): Promise<PlatformProcess>;
  startVisionWorker(env?: Variables): Promise<PlatformProcess>;
  startKnowledgeWorker(env?: Variables, root?: string): Promise<PlatformProcess>;
  startMaintenance(env?: Variables, root?: string): Promise<PlatformProcess>;
  startBackground(env?: Variables): Promise<PlatformProcess>;
  /** Kills all text workers but one, which it returns. If none is left, it starts one. */
  onlyTextWorker(): Promise<PlatformProcess>;
  /** Prints the processes' logs if the test fails; call it in `beforeEach`. */
  showLogsOnFailure(): void;
  stop(): Promise<void>;
}

export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const [redis, store, fake, dataDir] = await Promise.all([
    startRedis(),
    startStore(),
    startFakeOpenAI({
      ...(options.models && { models: options.models }),
      ...(options.script && { script: options.script }),
      ...(options.transcript && { transcript: options.transcript }),
    }),
    temporaryFolder('chj-'),
  ]);
  const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const env: Variables = {
    DATA_DIR: dataDir,
    REDIS_URL: redis.url,
    MONGODB_URI: store.uri,
    COMPATIBLE_BASE_URL: fake.url,
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: fake.url,
    ADMIN_EMAIL: login.email,
    ADMIN_PASSWORD: login.password,
    ACCESS_TOKEN_TTL_S: '7200',
    SHUTDOWN_GRACE_MS: '3000',
    // Journeys count the provider's calls, and find conversations by their first words.
    TITLE_MODEL: 'off',
    // Some models of the fake provider always fail.
    PROVIDER_WAIT_MS: '2000',
    // One user sends all requests of a journey; rate limits have their own journey.
    RATE_LIMIT_READS: '10000000',
    RATE_LIMIT_WRITES: '10000000',
    RATE_LIMIT_EXECUTIONS: '10000000',
    EVENT_STREAMS_PER_USER: '10000',
    WAITING_REQUESTS_PER_USER: '10000',
    VOICE_SOCKETS_PER_USER: '1000',
    ...options.env,
  };
  const processes: PlatformProcess[] = [];
  const launch = (role: string, main: string, more: Variables = {}, root = options.root) => {
    const number = processes.filter(({ name }) => name.startsWith(role)).length + 1;
    const started = new PlatformProcess(`${role}-${number}`, main, { ...env, ...more }, root);
    processes.push(started);
    return started.start();
  };
  // A restarted API keeps its port, which is reserved for it.
  const startApi = async (more?: Variables, root?: string) =>
    launch('api', 'apps/api/src/main.ts', { PORT: String(await freePort()), ...more }, root);
  const startTextWorker = (more?: Variables, root?: string) => launch('text', 'workers/text/src/main.ts', more, root);
  const startMediaWorker = (more?: Variables) => launch('media', 'workers/media/src/main.ts', more);
  const startVisionWorker = (more?: Variables) => launch('vision', 'workers/vision/src/main.ts', more);
  const startKnowledgeWorker = (more?: Variables, root?: string) =>
    launch('knowledge', 'workers/knowledge/src/main.ts', more, root);
  const startVoiceWorker = (more?: Variables) => launch('voice', 'workers/voice/src/main.ts', more);
  const startMaintenance = (more?: Variables, root?: string) =>
    launch('maintenance', 'apps/maintenance/src/main.ts', more, root);
  const startBackground = (more?: Variables) => launch('background', 'apps/background/src/main.ts', more);
  const onlyTextWorker = async () => {
    const [last, ...others] = processes.filter(({ name, alive }) => name.startsWith('text-') && alive).reverse();
    await Promise.all(others.map((worker) => worker.end('SIGKILL')));
    return last ?? startTextWorker();
  };
  const several = (count: number, start: () => Promise<PlatformProcess>) =>
    Promise.all(Array.from({ length: count }, () => start()));

  const stop = async () => {
    await Promise.all(processes.map((each) => each.end('SIGKILL')));
    await Promise.all([redis.stop(), store.stop(), fake.close(), rm(dataDir, WHEN_UNUSED)]);
  };
  const showLogsOnFailure = () => {
    onTestFailed(async () => {
      const all = processes.flatMap((each) => [`== ${each.name}`, ...each.log]).join('\n');
      const path = join(tmpdir(), `chorus-journey-${randomUUID()}.log`);
      await writeFile(path, all);
      const tails = processes.map((each) => `== ${each.name} (pid ${each.pid})\n${each.tail()}`).join('\n');
      process.stderr.write(`${tails}\nAll logs: ${path}\n`);
    });
  };

  try {
    const [apis, textWorkers, mediaWorkers, visionWorkers, knowledgeWorkers, maintenance, background] =
      await Promise.all([
        several(options.apis ?? 1, startApi),
        several(options.textWorkers ?? 1, startTextWorker),
        several(options.mediaWorkers ?? 0, startMediaWorker),
        several(options.visionWorkers ?? 0, startVisionWorker),
        several(options.knowledgeWorkers ?? 0, startKnowledgeWorker),
        several(options.maintenance ?? 0, startMaintenance),
        several(options.background ?? 0, startBackground),
        several(options.voiceWorkers ?? 0, startVoiceWorker),
      ]);
    const [first] = apis;
    if (!first) throw new Error('a platform needs at least one API');
    const client = await ApiClient.login(() => first.url, login);
    return {
      redis,
      store,
      fake,
      dataDir,
      apis,
      textWorkers,
      mediaWorkers,
      visionWorkers,
      knowledgeWorkers,
      maintenance,
      background,
      login,
      client,
      startApi,
      startTextWorker,
      startMediaWorker,
      startVisionWorker,
      startKnowledgeWorker,
      startMaintenance,
      startBackground,
      onlyTextWorker,
      showLogsOnFailure,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
