import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { loadConfig } from '@chorus/runtime/config';
import {
  makeCertificate,
  programOf,
  sharedStore,
  startRedis,
  TEST_SECRET_ENV,
  type TestDatabases,
  type TestRedis,
} from '@chorus/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createApp } from './app.ts';
import { listen } from './serve.ts';
import type { Services } from './services.ts';

const MAIN = programOf('apps/api/src/main.ts');

let redis: TestRedis;
let store: TestDatabases;
beforeAll(async () => {
  redis = await startRedis();
  store = await sharedStore();
});
afterAll(async () => {
  await redis.stop();
  await store.stop();
});

/** API processes start slowly on a busy machine. */
const SLOW = { timeout: 120_000 };

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Started {
  child: ChildProcess;
  /** The line that reports readiness. */
  ready: Promise<Record<string, unknown>>;
  exited: Promise<number | null>;
  output: () => string;
}

const { NODE_COMPILE_CACHE } = process.env;

function start(database: string, env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      REDIS_URL: redis.url,
      MONGODB_URI: store.uriOf(database),
      PORT: '0',
      ...TEST_SECRET_ENV,
      CHORUS_READY_FD: '3',
      CHORUS_TEST_KEEP_MEMORY: '1',
      ...env,
    },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const lines = createInterface({ input: child.stdio[3] as Readable });
  const ready = once(lines, 'line').then(([line]) => JSON.parse(line));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ready, exited, output: () => output };
}

test('reports its address and the first login once, serves, and stops gracefully', SLOW, async () => {
  const first = start('main_first', { SHUTDOWN_GRACE_MS: '60000' });
  const ready = await first.ready;
  expect(ready).toMatchObject({
    ready: true,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    login: { email: 'admin@localhost', password: expect.any(String), created: true },
  });
  const answer = await fetch(`${ready.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'admin@localhost',
      password: (ready.login as { password: string }).password,
    }),
  });
  expect(answer.status).toBe(200);
  expect(first.output()).not.toContain((ready.login as { password: string }).password);
  expect(await answerTo('nonsense\r\n\r\n', ready.port as number)).toMatch(
    /^HTTP\/1\.1 400 Bad Request\r\n.*"code":"invalid_request"/s,
  );

  // A second process finds the existing user, and accepts the first one's tokens.
  const second = start('main_first', { SHUTDOWN_GRACE_MS: '300' });
  const { url, port, login } = await second.ready;
  expect(login).toEqual({ email: 'admin@localhost', created: false });
  const { access_token } = (await answer.json()) as { access_token: string };
  const me = await fetch(`${url}/api/v1/me`, {
    headers: { authorization: `Bearer ${access_token}`, 'x-scope-type': 'personal' },
  });
  expect(me.status).toBe(200);

  // A running request is answered, without waiting for its connection.
  const running = await unfinishedRequest(ready.port as number);
  first.child.kill('SIGTERM');
  await untilRefused(ready.port as number);
  running.write('}');
  expect(String((await once(running, 'data'))[0])).toMatch(/^HTTP\/1\.1 400 .*"body\.email"/s);
  // An endless one is cut after the grace period.
  const endless = await unfinishedRequest(port as number);
  const cut = new Promise((resolve) => endless.once('close', resolve));
  second.child.kill('SIGINT');
  await cut;
  expect(await Promise.all([first.exited, second.exited])).toEqual([0, 0]);
  for (const line of first.output().trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});

test('reports a port in use, and asks for no restart', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { exited, output } = start('main_taken', { PORT: String(port) });
  expect(await exited).toBe(78);
  expect(output()).toContain(`PORT ${port}`);
  taken.close();
});

test('names the variables of an invalid configuration', async () => {
  const { exited, output } = start('main_wrong', { PORT: 'eighty', REDIS_URL: '' });
  expect(await exited).toBe(78);
  expect(output()).toMatch(/PORT must be/);
  expect(output()).toMatch(/REDIS_URL is required/);
  expect(output()).not.toContain('eighty');
});

test('names invalid proxy addresses', () => {
  const config = loadConfig({ REDIS_URL: redis.url, MONGODB_URI: store.uri, TRUST_PROXY: 'nonsense' });
  const services: Partial<Services> = { config };
  expect(() => createApp(services as Services)).toThrow('TRUST_PROXY must be');
});

test(
  'without a supervisor, prints the first login to stderr; with a certificate, serves TLS with voice sockets',
  SLOW,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chorus-api-tls-'));
    const { cert, key } = makeCertificate('IP:127.0.0.1');
    const files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
    await Promise.all([writeFile(files.TLS_CERT_FILE, cert), writeFile(files.TLS_KEY_FILE, key)]);
    const { child, exited, output } = start('main_tls', { ...files, CHORUS_READY_FD: '', VOICE_MAX_SOCKETS: '4' });
    // They arrive on separate pipes.
    const [password, port] = await new Promise<string[]>((resolve) => {
      const look = () => {
        const [, shown] = /^First login, shown only once: admin@localhost (\S{8,})$/m.exec(output()) ?? [];
        const [, listening] = /"port":(\d+),"msg":"listening"/.exec(output()) ?? [];
        if (shown !== undefined && listening !== undefined) resolve([shown, listening]);
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
    });
    const url = `https://127.0.0.1:${port}`;
    const ask = (path: string, headers: Record<string, string> = {}, body?: object) => {
      const asked = request(url + path, { ca: cert, headers, method: body ? 'POST' : 'GET' });
      asked.end(body && JSON.stringify(body));
      return asked;
    };
    const read = async (asked: ReturnType<typeof ask>) => {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return text(answer);
    };
    // Other upgrades are ignored, and the request is answered.
    expect(await read(ask('/healthz', { connection: 'upgrade', upgrade: 'h2c' }))).toBe('{"status":"ok"}');
    const socketHeaders = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    expect(await read(ask('/api/v1/me', socketHeaders))).toContain('"code":"unauthorized"');
    expect(await read(ask('/api/v1/voice/ws'))).toContain('"code":"route_not_found"');
    expect(await read(ask('/api/v1/voice/ws', socketHeaders))).toContain('"code":"unauthorized"');

    const login = { email: 'admin@localhost', password };
    const { access_token } = JSON.parse(
      await read(ask('/api/v1/auth/login', { 'content-type': 'application/json' }, login)),
    );
    const caller = { authorization: `Bearer ${access_token}`, 'x-scope-type': 'personal' };
    const opening = ask('/api/v1/voice/ws', { ...caller, ...socketHeaders });
    const [, socket] = (await once(opening, 'upgrade')) as [IncomingMessage, Duplex];
    let received = '';
    socket.setEncoding('utf8').on('data', (piece: string) => {
      received += piece;
    });
    const closed = once(socket, 'close');
    await expect.poll(() => received).toContain('session.created');
    expect(await read(ask('/metrics'))).toMatch(/^chorus_open_voice_sockets 1$/m);
    child.kill('SIGTERM');
    await closed;
    expect(received).toMatch(/"session\.created".*"shutting_down".*The server is shutting down: reconnect\./s);
    expect(await exited).toBe(0);
    await rm(folder, { recursive: true });
  },
);

const BOUNDS = { maxConnections: 100, maxConnectionsPerAddress: 100 };

test('names an invalid certificate without quoting it', async () => {
  const listening = (certFile: string) =>
    listen(() => undefined, { ...BOUNDS, host: '127.0.0.1', port: 0, tls: { certFile, keyFile: MAIN } });
  await expect(listening(MAIN)).rejects.toThrow('TLS_CERT_FILE and TLS_KEY_FILE must be PEM files');
  await expect(listening('/no/such/file')).rejects.toThrow("TLS_CERT_FILE can't be read");
});

async function answerTo(sent: string, port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  const [answer] = await once(socket, 'data');
  return String(answer);
}

const UNFINISHED =
  'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{';

/** Sends a request except for its last byte, and waits until the server has it. */
async function unfinishedRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined); // may be reset when the process ends
  await once(socket, 'connect');
  socket.write(UNFINISHED);
  // A response on another connection shows that the earlier bytes have arrived.
  await fetch(`http://127.0.0.1:${port}/healthz`);
  return socket;
}

/** Resolves once connections are refused. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const refused = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(true));
      socket.once('connect', () => resolve(false));
    });
    socket.destroy();
    if (refused) return;
  }
}
