import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type ListenOptions, listen } from './serve.ts';

const TIMEOUTS = { headersMs: 300, keepAliveMs: 300, checkMs: 50 };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Starts a server that starts a response on `/begun`, and never answers `/waiting`. */
async function serve(options: Partial<ListenOptions> = {}) {
  const held: ServerResponse[] = [];
  const bounds = { maxConnections: 100, maxConnectionsPerAddress: 100 };
  const { server, port } = await listen(
    (request, response) => {
      if (request.url === '/') return void response.end('done');
      held.push(response);
      if (request.url === '/begun') response.write('begun');
    },
    { host: '127.0.0.1', port: 0, tls: null, timeouts: TIMEOUTS, ...bounds, ...options },
  );
  servers.push(server);
  return {
    server,
    held,
    open: (address = '127.0.0.1') => listenTo(connect({ port, host: '127.0.0.1', localAddress: address })),
  };
}

interface Line {
  socket: Socket;
  closed: Promise<unknown>;
  received: () => string;
}

function listenTo(socket: Socket): Line {
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => undefined);
  return { socket, received: () => received, closed: once(socket, 'close') };
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

test('disconnects clients that do not finish their headers, but not those that wait for a response', async () => {
  const { held, open } = await serve();
  const waiting = [open(), open(), open()];
  waiting[0]?.socket.write(get('/waiting'));
  waiting[1]?.socket.write(get('/begun'));
  await expect.poll(() => held.length).toBe(2);

  const silent = open();
  const slow = open();
  slow.socket.write('GET / HTTP/1.1\r\nX-A: ');
  const drip = setInterval(() => slow.socket.write('a'), 50);
  const idle = open();
  idle.socket.write(get('/'));
  await Promise.all([silent.closed, slow.closed, idle.closed]);
  clearInterval(drip);
  expect(slow.received()).toMatch(/^HTTP\/1.1 408 /);
  expect(idle.received()).toContain('done');

  for (const response of held) response.end('the end');
  await expect.poll(() => waiting.map(({ received }) => received().includes('the end'))).toEqual([true, true, false]);
});

test('does not cut an upgraded connection', async () => {
  const { server, open } = await serve();
  let upgraded: Socket | undefined;
  server.on('upgrade', (_request, socket) => {
    upgraded = socket as Socket;
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  const line = open();
  line.socket.write(get('/api/v1/voice/ws', 'Connection: Upgrade', 'Upgrade: websocket'));
  await expect.poll(line.received).toContain('101');
  const silent = open();
  await silent.closed;
  upgraded?.write('still here');
  await expect.poll(line.received).toContain('still here');
  line.socket.destroy();
  await line.closed;
});

test('limits the connections of an address; others get in, and a closed one frees a slot', async () => {
  const { held, open } = await serve({ maxConnectionsPerAddress: 2, timeouts: {} });
  const first = [open(), open()];
  for (const { socket } of first) socket.write(get('/waiting'));
  await expect.poll(() => held.length).toBe(2);
  const third = open();
  await third.closed;
  expect(third.received()).toMatch(/^HTTP\/1.1 503 .*"code":"overloaded"/s);

  const other = open('127.0.0.2');
  other.socket.write(get('/'));
  await expect.poll(other.received).toContain('done');

  first[0]?.socket.destroy();
  await first[0]?.closed;
  await expect
    .poll(async () => {
      const again = open();
      again.socket.write(get('/', 'Connection: close'));
      await again.closed;
      return again.received();
    })
    .toContain('done');
});

test('does not limit those of a proxy, but those of the process', async () => {
  const { held, open } = await serve({
    maxConnections: 3,
    maxConnectionsPerAddress: 1,
    isProxy: (address) => address === '127.0.0.1',
    timeouts: {},
  });
  const lines = [open(), open(), open()];
  for (const { socket } of lines) socket.write(get('/waiting'));
  await expect.poll(() => held.length).toBe(3);
  const fourth = open();
  await fourth.closed;
  expect(fourth.received()).toBe('');
});
