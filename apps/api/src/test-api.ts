import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, TEST_SECRET_ENV, type TestDatabases, type TestRedis } from '@chorus/testing';
import { createApp, proxyTest } from './app.ts';
import { connectServices } from './connect-services.ts';
import { listen } from './serve.ts';
import type { Services } from './services.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any;
}

export interface CallOptions {
  /** Strings, bytes and forms are sent unchanged, other values as JSON. */
  body?: unknown;
  /** Whether a success is an endless stream, to be closed once it starts. */
  endless?: boolean | undefined;
  /** Default: follows them. */
  redirect?: 'follow' | 'manual';
  /** Added to the credentials and the scope. Null removes a header. */
  headers?: Record<string, string | null>;
}

/** The API on a real port, with its own real stores. */
export interface TestApi {
  readonly url: string;
  readonly config: Config;
  readonly services: Services;
  readonly redis: TestRedis;
  readonly store: TestDatabases;
  readonly server: Server;
  readonly login: { email: string; password: string };
  readonly accessToken: string;
  /** Calls the API as the first user in personal scope. Paths of v1 need no prefix. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts the API for a test file, with extra configuration and optionally its own store. */
export async function startTestApi(env: Record<string, string> = {}, ownStore?: TestDatabases): Promise<TestApi> {
  const [redis, store] = await Promise.all([startRedis(), ownStore ?? sharedStore()]);
  const folder = await mkdtemp(join(tmpdir(), 'chorus-api-'));
  const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const config = loadConfig({
    REDIS_URL: redis.url,
    MONGODB_URI: store.uri,
    // Some models of the fake provider always fail.
    PROVIDER_WAIT_MS: '1000',
    ADMIN_EMAIL: login.email,
    ADMIN_PASSWORD: login.password,
    DATA_DIR: folder,
    ...TEST_SECRET_ENV,
    LOG_LEVEL: 'silent',
    // Tests leave jobs in the queue, which must not count as overload.
    QUEUE_MAX_AGE_MS: '3600000',
    ...env,
  });
  const process = await startProcess(config);
  const { services, server, url } = process;
  await services.accounts.ensureFirstUser(config.admin);
  const { access_token } = await services.accounts.login(login, { address: '127.0.0.1' });
  const call = callerOf(url, access_token);

  return {
    url,
    config,
    services,
    redis,
    store,
    server,
    login,
    accessToken: access_token,
    call,
    stop: async () => {
      await process.stop();
      await Promise.all([redis.stop(), store.stop(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

/** Starts another API process on the same stores, logged in as the same user. */
export async function startSecondApi({
  config,
  accessToken,
}: TestApi): Promise<Pick<TestApi, 'call' | 'url' | 'stop'>> {
  const { url, stop } = await startProcess(config);
  return { url, call: callerOf(url, accessToken), stop };
}

async function startProcess(config: Config) {
  const { services, close } = await connectServices(config, createLogger({ name: 'api', level: config.logLevel }));
  const app = createApp(services);
  const { server, port } = await listen(app, { ...config.http, port: 0, isProxy: proxyTest(app) });
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await close();
  };
  return { services, server, url: `http://127.0.0.1:${port}`, stop };
}

function callerOf(url: string, accessToken: string): TestApi['call'] {
  return async (method, path, { body, endless = false, headers = {}, redirect = 'follow' } = {}) => {
    const all: Record<string, string | null> = {
      authorization: `Bearer ${accessToken}`,
      'x-scope-type': 'personal',
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
    const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const response = await fetch(
      url +
        (/^\/(api\/|openai\/|anthropic\/|mcp$|healthz|readyz|metrics|openapi|docs)/.test(path)
          ? path
          : `/api/v1${path}`),
      {
        method,
        redirect,
        headers: Object.fromEntries(sent),
        ...(body === undefined
          ? {}
          : { body: raw ? (body as string | Uint8Array<ArrayBuffer> | FormData) : JSON.stringify(body) }),
      },
    );
    if (endless && response.ok) await response.body?.cancel();
    const text = endless && response.ok ? '' : await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
}
