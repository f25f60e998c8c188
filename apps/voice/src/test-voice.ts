import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Actor, RealtimeServerEvent, User } from '@chorus/contract';
import { loadConfig } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, TEST_SECRET_ENV, type TestRedis } from '@chorus/testing';
import { type ClientOptions, WebSocket } from 'ws';
import { connectServices } from './connect-services.ts';
import { mountVoice } from './mount-voice.ts';
import type { VoiceServices } from './voice-services.ts';

/** The voice socket on a real port, with stores created for one test. */
export interface TestVoice {
  readonly url: string;
  readonly services: VoiceServices;
  readonly redis: TestRedis;
  /** Variables that connect another process to the same stores. */
  readonly env: Record<string, string>;
  readonly server: Server;
  readonly token: string;
  readonly login: { email: string; password: string };
  /** Actor for entries in the audit log. */
  readonly actor: Actor;
  readonly user: User;
  readonly voice: ReturnType<typeof mountVoice>;
  /** Opens a socket in personal scope. */
  open(path?: string, options?: ClientOptions & { protocols?: string[] }): TestSocket;
  /** Requests a socket that is refused; `headers` replace the default ones. */
  refused(path: string, headers: Record<string, string>, protocols?: string[]): Promise<Refusal>;
  stop(): Promise<void>;
}

export interface Refusal {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  error: { code: string; request_id: string; details: { path: string }[] };
}

/** A raw socket that records its events. */
export interface TestSocket {
  readonly client: WebSocket;
  readonly events: RealtimeServerEvent[];
  readonly closed: Promise<{ code: number; reason: string }>;
  send(event: unknown): void;
  /** Returns the next event of this type and skips those before it. Rejects when the socket closes. */
  next<Type extends RealtimeServerEvent['type']>(type: Type): Promise<Extract<RealtimeServerEvent, { type: Type }>>;
}

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
      const opened = once(client, 'open').then(() => Promise.reject(new Error('the socket was accepted')));
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
  const events: RealtimeServerEvent[] = [];
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
    events.push(JSON.parse(String(data)));
    look();
  });
  return {
    client,
    events,
    closed,
    send: (event) => client.send(typeof event === 'string' ? event : JSON.stringify(event)),
    next: async (type) => {
      for (;;) {
        for (; looked < events.length; looked += 1) {
          const event = events[looked];
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
