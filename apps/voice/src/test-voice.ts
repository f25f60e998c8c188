import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { loadConfig } from '@chorus/config';
import type { Actor, RealtimeServerEvent, User } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { sharedStore, startRedis, TEST_SECRET_ENV, type TestRedis } from '@chorus/testing';
import { type ClientOptions, WebSocket } from 'ws';
import { connectServices } from './connect-services.ts';
import { mountVoice } from './mount-voice.ts';
import type { VoiceServices } from './voice-services.ts';

/** The voice socket over real stores of the test's own, behind a real port. */
export interface TestVoice {
  /** `ws://127.0.0.1:…`, or `wss://` where there is a certificate. */
  readonly url: string;
  readonly services: VoiceServices;
  readonly redis: TestRedis;
  /** The variables by which another process reaches the same stores. */
  readonly env: Record<string, string>;
  readonly server: Server;
  readonly token: string;
  readonly login: { email: string; password: string };
  /** Who does things that are noted in the audit log. */
  readonly actor: Actor;
  readonly user: User;
  readonly voice: ReturnType<typeof mountVoice>;
  /** Opens a socket in personal scope. */
  open(path?: string, options?: ClientOptions & { protocols?: string[] }): TestSocket;
  /** Asks for a socket that is refused; `headers` in place of the usual ones. */
  refused(path: string, headers: Record<string, string>, protocols?: string[]): Promise<Refusal>;
  stop(): Promise<void>;
}

export interface Refusal {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  error: { code: string; request_id: string; details: { path: string }[] };
}

/** A raw socket that remembers what it was told. */
export interface TestSocket {
  readonly client: WebSocket;
  readonly told: RealtimeServerEvent[];
  /** How the socket was closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  send(event: unknown): void;
  /** The next event of this type that was not asked for yet; those before it are passed over. Rejects when the socket closes. */
  next<Type extends RealtimeServerEvent['type']>(type: Type): Promise<Extract<RealtimeServerEvent, { type: Type }>>;
}

/** @param env adds variables of the configuration */
export async function startTestVoice(
  env: Record<string, string> = {},
  tls?: { cert: string; key: string },
): Promise<TestVoice> {
  const [redis, store] = await Promise.all([startRedis(), sharedStore()]);
  const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const all = { REDIS_URL: redis.url, MONGODB_URI: store.uri, LOG_LEVEL: 'silent', ...TEST_SECRET_ENV, ...env };
  const config = loadConfig(all);
  const { services, close } = await connectServices(config, createLogger({ name: 'voice', level: config.logLevel }));
  await services.accounts.ensureFirstUser(login);
  const { access_token: token } = await services.accounts.login(login, { address: '127.0.0.1' });
  const { user } = await services.accounts.verify(token);
  const server = tls === undefined ? createServer() : createSecureServer(tls);
  const voice = mountVoice(server, services, { penaltyMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `${tls === undefined ? 'ws' : 'wss'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    services,
    redis,
    env: all,
    server,
    token,
    login,
    user,
    actor: { user_id: user.id, key_id: null, address: null, request_id: null },
    voice,
    open: (path = '/api/v1/voice/ws', { protocols = [], ...options } = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'x-scope-type': 'personal', ...options.headers };
      return listenTo(new WebSocket(url + path, protocols, { ...options, headers }));
    },
    refused: async (path, headers, protocols = []) => {
      const client = new WebSocket(url + path, protocols, { headers });
      const answered = once(client, 'unexpected-response') as Promise<[unknown, IncomingMessage]>;
      const opened = once(client, 'open').then(() => Promise.reject(new Error('it was let in')));
      const [, response] = await Promise.race([answered, opened]);
      const { error } = JSON.parse(await text(response));
      return { status: response.statusCode, headers: response.headers, error };
    },
    stop: async () => {
      await voice.close();
      server.close();
      server.closeAllConnections();
      await close();
      await Promise.all([redis.stop(), store.stop()]);
    },
  };
}

export function listenTo(client: WebSocket): TestSocket {
  const told: RealtimeServerEvent[] = [];
  let looked = 0;
  let look = () => {};
  let over: Error | null = null;
  const end = (error: Error) => {
    over ??= error;
    look();
  };
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    client.once('close', (code, reason) => {
      resolve({ code, reason: String(reason) });
      end(new Error(`closed: ${code} ${reason}`));
    });
  });
  client.on('error', end);
  client.on('message', (data) => {
    told.push(JSON.parse(String(data)));
    look();
  });
  return {
    client,
    told,
    closed,
    send: (event) => client.send(typeof event === 'string' ? event : JSON.stringify(event)),
    next: async (type) => {
      for (;;) {
        for (; looked < told.length; looked += 1) {
          const event = told[looked];
          if (event?.type !== type) continue;
          looked += 1;
          return event as Extract<RealtimeServerEvent, { type: typeof type }>;
        }
        if (over !== null) throw over;
        await new Promise<void>((resolve) => {
          look = resolve;
        });
      }
    },
  };
}
