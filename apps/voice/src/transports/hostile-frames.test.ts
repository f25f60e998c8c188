import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket as NetSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { REALTIME_LIMITS } from '@chorus/contract';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { mountVoice, type VoiceSocketOptions } from '../mount-voice.ts';
import { listenTo, startTestVoice, type TestSocket, type TestVoice } from '../test-voice.ts';

const { frameBytes, aheadMs, mistakes } = REALTIME_LIMITS;

let own: TestVoice;
/** A well-behaved client on the same server. */
let bystander: TestSocket;
beforeAll(async () => {
  own = await startTestVoice();
  bystander = own.open();
  await bystander.next('session.created');
});
afterAll(async () => {
  bystander.send({ type: 'session.update', session: {} });
  await bystander.next('session.updated');
  await own.stop();
});

const append = (ms: number) => ({
  type: 'input_audio_buffer.append',
  audio: Buffer.alloc(ms * 48).toString('base64'),
});
const times = (count: number, act: () => void) => {
  for (let at = 0; at < count; at += 1) act();
};

/** Builds frames that no library would send. @param length 0 to 125 bytes of payload, missing if `cut` */
const frame = (first: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
const raw = ({ client }: TestSocket, bytes: Buffer) =>
  (client as unknown as { _socket: NodeJS.WritableStream })._socket.write(bytes);

test.each<[what: string, attack: (socket: TestSocket) => void, code: number, reason: RegExp, error?: string]>([
  ['an oversized frame', ({ client }) => client.send('x'.repeat(frameBytes + 1)), 1009, /4194304 bytes/],
  ['oversized audio', ({ client }) => client.send(Buffer.alloc(frameBytes + 2)), 1009, /4194304 bytes/],
  [
    'repeated invalid JSON',
    (socket) => times(mistakes * 4, () => socket.send('{"type":')),
    1007,
    /invalid/,
    'invalid_json',
  ],
  [
    'repeated unknown events',
    (socket) => times(mistakes * 4, () => socket.send([[[]]])),
    1007,
    /invalid/,
    'unknown_event',
  ],
  [
    'repeated half samples',
    ({ client }) => times(mistakes * 4, () => client.send(Buffer.alloc(3))),
    1007,
    /invalid/,
    'invalid_value',
  ],
  ['text that is not UTF-8', (socket) => raw(socket, frame(0x81, Buffer.from([0xc3, 0x28]))), 1007, /UTF-8/],
  ['a frame with an unknown opcode', (socket) => raw(socket, frame(0x83, Buffer.from('x'))), 1002, /protocol/],
  [
    'a compressed frame without negotiated compression',
    (socket) => raw(socket, frame(0xc1, Buffer.from('x'))),
    1002,
    /protocol/,
  ],
  ['an unmasked frame', (socket) => raw(socket, Buffer.from([0x81, 0x01, 0x78])), 1002, /protocol/],
  [
    'a frame in too many fragments',
    (socket) => {
      raw(socket, frame(0x01, Buffer.alloc(0)));
      times(4_100, () => raw(socket, frame(0x00, Buffer.alloc(0))));
    },
    1008,
    /fragments/,
  ],
  [
    'audio far ahead of real time',
    (socket) => times(8, () => socket.send(append(aheadMs / 4))),
    1008,
    /ahead/,
    'too_much_audio',
  ],
  [
    'binary audio far ahead of real time',
    ({ client }) => times(8, () => client.send(Buffer.alloc((aheadMs / 4) * 48))),
    1008,
    /ahead/,
    'too_much_audio',
  ],
  [
    'large meaningless events',
    (socket) => {
      const large = JSON.stringify({ type: 'session.update', session: { tracing: 'x'.repeat(4_000_000) } });
      times(6, () => socket.send(large));
    },
    1008,
    /bytes/,
    'too_many_bytes',
  ],
])('closes only the socket that sends %s, with a reason', async (_what, attack, code, reason, error) => {
  const socket = own.open();
  await socket.next('session.created');
  attack(socket);
  expect(await socket.closed).toMatchObject({ code, reason: expect.stringMatching(reason) });
  if (error !== undefined) {
    const codes = socket.events.flatMap((event) => (event.type === 'error' ? [event.error.code] : []));
    expect(codes).toContain(error);
  }
  bystander.send({ type: 'session.update', session: {} });
  await bystander.next('session.updated');
  await expect.poll(() => own.voice.connections()).toBe(1);
});

/** 240 kB without effect. */
const manyFields = `{"type":"session.update","session":{${Array.from({ length: 20_000 }, (_, at) => `"f${at}":[{}]`).join()}}}`;

test('closes the socket on overly complex JSON before parsing it', async () => {
  const socket = own.open();
  await socket.next('session.created');
  socket.client.send(manyFields);
  const { error } = await socket.next('error');
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('500 fields') });
  expect(await socket.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('500 fields') });
});

test('locks a user out for a while after flooding', async () => {
  const elsewhere = await serveElsewhere({ penaltyMs: 60_000 });
  const socket = listenTo(elsewhere.open());
  await socket.next('session.created');
  socket.client.send(manyFields);
  expect(await socket.closed).toMatchObject({ code: 1008 });
  const [, response] = await once(elsewhere.open(), 'unexpected-response');
  expect([response.statusCode, Number(response.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  response.resume();
  await elsewhere.voice.close();
  elsewhere.server.close();
});

test('reports an oversized event over socket.io and closes the connection', async () => {
  const headers = { authorization: `Bearer ${own.token}`, 'x-scope-type': 'personal' };
  const client = io(own.url, {
    path: '/api/v1/voice/ws',
    addTrailingSlash: false,
    transports: ['websocket'],
    extraHeaders: headers,
    reconnection: false,
    forceNew: true,
  });
  const errors: { error: { message: string } }[] = [];
  client.on('error', (event) => errors.push(event));
  await new Promise((resolve) => client.once('session.created', resolve));
  client.emit('session.update', (JSON.parse(manyFields) as { session: object }).session);
  await new Promise((resolve) => client.once('disconnect', resolve));
  expect(errors[0]?.error.message).toContain('500 fields');
});

test('closes the socket of a client that does not read, with a reason', async () => {
  const socket = own.open();
  await socket.next('session.created');
  socket.client.pause();
  const update = JSON.stringify({ type: 'session.update', session: { instructions: 'x'.repeat(32_000) } });
  times(360, () => socket.client.send(update));
  await expect.poll(() => socket.client.bufferedAmount, { timeout: 20_000 }).toBe(0);
  socket.client.resume();
  expect(await socket.closed).toMatchObject({ code: 1013, reason: expect.stringMatching(/read/) });
});

async function serveElsewhere(options?: VoiceSocketOptions) {
  const server = createServer();
  const voice = mountVoice(server, own.services, options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const headers = { authorization: `Bearer ${own.token}`, 'x-scope-type': 'personal' };
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/voice/ws`;
  return { server, voice, open: (options: ClientOptions = {}) => new WebSocket(url, { headers, ...options }) };
}

test('closes the socket of a client that is gone', async () => {
  const elsewhere = await serveElsewhere({ pingMs: 1_000 });
  const socket = listenTo(elsewhere.open({ autoPong: false }));
  await socket.next('session.created');
  expect(await socket.closed).toMatchObject({ code: 1006 });
  await expect.poll(() => elsewhere.voice.connections()).toBe(0);
  await elsewhere.voice.close();
  elsewhere.server.close();
});

test('closes the socket of a client that sends only silence', async () => {
  const elsewhere = await serveElsewhere({ limits: { idleMs: 1_500 } });
  const socket = listenTo(elsewhere.open());
  await socket.next('session.created');
  socket.client.send(Buffer.alloc((aheadMs / 2) * 48));
  const silence = setInterval(() => socket.client.send(Buffer.alloc(40 * 48)), 40);
  expect(await socket.closed).toMatchObject({ code: 4003, reason: expect.stringMatching(/session_id/) });
  clearInterval(silence);
  await expect.poll(() => elsewhere.voice.connections()).toBe(0);
  await elsewhere.voice.close();
  elsewhere.server.close();
});

test('closes the socket on floods of events or pings, with a reason', async () => {
  const elsewhere = await serveElsewhere({ limits: { eventBurst: 100, eventsPerSecond: 1 }, penaltyMs: 0 });
  for (const act of [
    ({ client }: TestSocket) => client.send('{"type":"input_audio_buffer.clear"}'),
    ({ client }: TestSocket) => client.ping('x'),
  ]) {
    const socket = listenTo(elsewhere.open());
    await socket.next('session.created');
    times(300, () => act(socket));
    expect(await socket.closed).toMatchObject({ code: 1008, reason: expect.stringMatching(/100 events/) });
    const codes = socket.events.flatMap((event) => (event.type === 'error' ? [event.error.code] : []));
    expect(codes).toContain('too_many_events');
  }
  await elsewhere.voice.close();
  elsewhere.server.close();
});

test('cleans up after clients that leave before the socket is open', async () => {
  const { hostname, port } = new URL(own.url);
  const opening = (line: string, headers: string[]) =>
    [line, `Host: ${hostname}`, 'Connection: Upgrade', 'Upgrade: websocket', ...headers, '', ''].join('\r\n');
  const known = ['X-Scope-Type: personal', `Authorization: Bearer ${own.token}`, 'Sec-WebSocket-Version: 13'];
  const get = 'GET /api/v1/voice/ws HTTP/1.1';
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  for (const leaves of ['destroy', 'resetAndDestroy'] as const) {
    const line = connect(Number(port), hostname);
    line.write(opening(get, [...known, key]), () => line[leaves]());
    await once(line, 'close');
  }
  for (const [request, headers] of [
    ['POST /api/v1/voice/ws HTTP/1.1', [...known, key]],
    [get, known],
    [get, [...known.slice(0, 2), 'Sec-WebSocket-Version: 7', key]],
    [get, [...known, 'Sec-WebSocket-Key: x']],
  ] as const) {
    const line = connect(Number(port), hostname);
    line.write(opening(request, [...headers]));
    expect(await text(line)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*"code":"invalid_request"/s);
  }
  await expect.poll(() => own.voice.connections()).toBe(1);
});

test.each<[what: string, attack: (line: WebSocket) => void]>([
  ['sends nothing valid', (line) => line.send('nonsense')],
  ['sends events before the handshake', (line) => line.send('42["input_audio_buffer.clear",{}]')],
  [
    'announces too many attachments',
    (line) => {
      line.send('40');
      line.send('4599-["input_audio_buffer.append",{"_placeholder":true,"num":0}]');
    },
  ],
  ['sends an oversized frame', (line) => line.send('x'.repeat(frameBytes + 1))],
  ['connects to another namespace', (line) => line.send('40/other,')],
])('closes only the connection of a socket.io client that %s', async (_what, attack) => {
  const headers = { authorization: `Bearer ${own.token}`, 'x-scope-type': 'personal' };
  const line = new WebSocket(`${own.url}/api/v1/voice/ws/?EIO=4&transport=websocket`, { headers });
  line.on('error', () => undefined);
  await once(line, 'message'); // the engine's handshake
  attack(line);
  line.on('message', (data) => {
    if (String(data).startsWith('44')) line.close(); // another namespace gets only an error
  });
  await once(line, 'close');
  await expect.poll(() => own.voice.connections()).toBe(1);
});

async function openSocketIo(): Promise<Socket> {
  const socket = io(own.url, {
    path: '/api/v1/voice/ws',
    transports: ['websocket'],
    reconnection: false,
    query: { scope_type: 'personal' },
    extraHeaders: { authorization: `Bearer ${own.token}` },
  });
  await nextEvent(socket, 'session.created');
  return socket;
}

const nextEvent = (socket: Socket, event: string) => new Promise((resolve) => socket.once(event, resolve));

test('closes a flooding socket.io client with a reason', async () => {
  const socket = await openSocketIo();
  const [ending, over] = [nextEvent(socket, 'closing'), nextEvent(socket, 'disconnect')];
  times(8, () => socket.emit('input_audio_buffer.append', { audio: Buffer.alloc((aheadMs / 4) * 48) }));
  expect(await ending).toMatchObject({ code: 1008, reason: expect.stringMatching(/ahead/) });
  await over;
  await expect.poll(() => own.voice.connections()).toBe(1);
});

test('closes a socket.io client that does not read, with a reason', async () => {
  const socket = await openSocketIo();
  const ending = nextEvent(socket, 'closing');
  const { engine } = socket.io;
  const { ws } = engine.transport as unknown as { ws: WebSocket & { _socket: NetSocket } };
  ws._socket.pause();
  times(360, () => socket.emit('session.update', { session: { instructions: 'x'.repeat(32_000) } }));
  await expect.poll(() => ws.bufferedAmount + engine.writeBuffer.length, { timeout: 20_000 }).toBe(0);
  ws._socket.resume();
  expect(await ending).toMatchObject({ code: 1013 });
  await expect.poll(() => own.voice.connections()).toBe(1);
});

test('asks each client to reconnect when the process stops', async () => {
  const elsewhere = await serveElsewhere();
  const socket = listenTo(elsewhere.open());
  await socket.next('session.created');
  const stopped = elsewhere.voice.close();
  expect((await socket.next('error')).error).toMatchObject({ code: 'shutting_down', type: 'server_error' });
  expect(await socket.closed).toMatchObject({ code: 1001 });
  await stopped;
  const [, answer] = await once(elsewhere.open(), 'unexpected-response');
  expect(answer.statusCode).toBe(503);
  answer.destroy();
  elsewhere.server.close();
});
