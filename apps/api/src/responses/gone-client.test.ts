import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishWorker } from '../test-chat.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  // No such worker runs, so jobs stay queued and only the client ends a stream.
  await publishWorker(api, 'one', {
    pool: 'text',
    pid: 1,
    host: 'test',
    active: 0,
    concurrency: 4,
    models: [],
    providers: [{ name: 'openai', status: 'ok', any_model: true }],
    default_model: 'openai/any',
    started_at: new Date().toISOString(),
  });
});
afterAll(() => api.stop());

/** Disconnects while its turn is being queued. */
async function sendAndGo(body: string): Promise<void> {
  const head = [
    'POST /api/v1/chat/completions HTTP/1.1',
    'Host: test',
    `Authorization: Bearer ${api.accessToken}`,
    'X-Scope-Type: personal',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  const answered = once(api.server, 'request');
  const { dispatcher } = api.services;
  const { dispatch } = dispatcher;
  const queued = new Promise<void>((resolve) => {
    dispatcher.dispatch = async (request) => {
      const dispatched = await dispatch.call(dispatcher, request);
      const [, response] = await answered;
      socket.destroy();
      await once(response, 'close');
      resolve();
      return dispatched as never;
    };
  });
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await queued;
  dispatcher.dispatch = dispatch;
}

test.each([true, false])(
  'cleans up after a client that disconnects before the response starts; streamed: %s',
  async (stream) => {
    await sendAndGo(JSON.stringify({ message: 'Hi', stream }));
    for (const end = Date.now() + 40_000; api.services.streams.size > 0 && Date.now() < end; ) await delay(20);
    expect(api.services.streams.size).toBe(0);
    expect((await api.call('GET', '/jobs')).body.data[0].status).toBe('queued');
  },
);
