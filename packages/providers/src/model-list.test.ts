import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@chorus/runtime/log';
import { afterEach, expect, test } from 'vitest';
import { CallStatus } from './call-status.ts';
import { ModelList, openaiList } from './model-list.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listFrom(answer: RequestListener) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/models`;
  const status = new CallStatus();
  const list = new ModelList({ url, headers: { 'x-test': '1' }, schema: openaiList, log, status });
  closers.push(
    () => list.close(),
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { list, server, status };
}

test('reads ids and known facts, and ignores the rest', async () => {
  const { list, status } = await listFrom((_request, response) =>
    response.end(
      JSON.stringify({
        object: 'list',
        data: [
          { id: 'a', created: 5, more: true },
          { id: 'b-embed', context_window: 512 },
        ],
      }),
    ),
  );
  expect(list.models).toBeNull();
  await expect.poll(() => list.tried).toBe(true);
  expect(list.models).toEqual([
    { id: 'a', created: 5, capabilities: ['chat'], contextWindow: null },
    { id: 'b-embed', created: 0, capabilities: ['embedding'], contextWindow: 512 },
  ]);
  expect(status.current()).toBe('ok');
});

test('reads as much as possible of lists from other servers', () => {
  const capabilities = ['chat'];
  expect(
    openaiList.parse([
      { id: 'a', created: 1_732_599_999.5, context_length: 4_096 },
      { id: 'b', created: '2024-11-26', context_window: -1, max_model_len: 8_192.2 },
      { id: 'c', created: null, context_window: 1e300 },
      { name: 'none' },
      null,
    ]),
  ).toEqual([
    { id: 'a', created: 1_732_600_000, capabilities, contextWindow: 4_096 },
    { id: 'b', created: 0, capabilities, contextWindow: 8_192 },
    { id: 'c', created: 0, capabilities, contextWindow: null },
  ]);
});

test.each<[string, RequestListener]>([
  ['an error', (_request, response) => response.writeHead(401).end('{}')],
  ['no JSON', (_request, response) => response.end('<html>')],
  ['a list of nothing known', (_request, response) => response.end('{"data":[{"name":"a"}]}')],
  ['no list', (_request, response) => response.end('{"models":[]}')],
  ['a torn connection', (_request, response) => response.destroy()],
  [
    'an endless list',
    (_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(100_000)));
        response.once('drain', more);
      };
      more();
    },
  ],
])('%s leaves the models unknown and the provider failing', async (_name, answer) => {
  const { list, status } = await listFrom(answer);
  await expect.poll(() => list.tried).toBe(true);
  expect(list.models).toBeNull();
  expect(status.current()).toBe('failing');
});

test('a silent server causes no delay, and is abandoned on close', async () => {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const { list, status } = await listFrom((_request, response) => {
    response.on('close', () => left.resolve());
    asked.resolve();
  });
  await asked.promise;
  expect(list).toMatchObject({ models: null, tried: false });
  list.close();
  await left.promise;
  expect(status.current()).toBe('unknown');
});

test.each([
  ['values', `{"data":[${Array.from({ length: 30 }, () => `[${'[],'.repeat(15_000)}[]]`).join()}]}`],
  ['models', `[${'{},'.repeat(20_000)}{}]`],
  ['levels', '['.repeat(1_000)],
  ['bytes', `{"data":["${'x'.repeat(8_000_000)}"]}`],
])('refuses a list of too many %s while it arrives', async (_what, body) => {
  const { list, status } = await listFrom((_request, response) => response.end(body));
  await expect.poll(() => list.tried).toBe(true);
  expect([list.models, status.current()]).toEqual([null, 'failing']);
});
