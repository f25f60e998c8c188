import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatRequest } from '@chorus/contract';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { answerError } from '../http/answer-error.ts';
import { authenticator } from '../http/authenticate.ts';
import { beginRequest } from '../http/begin-request.ts';
import { noteRoute, serveRoute } from '../http/serve-route.ts';
import type { Answer } from '../test-api.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { defineEndpoint, endpointRoute } from './define-endpoint.ts';

/** An endpoint that runs a chat turn and answers with its text. */
const say = endpointRoute(
  defineEndpoint({
    kind: 'chat.completion',
    path: '/say',
    summary: 'Say',
    body: z.looseObject({ input: z.string().min(1), loud: z.boolean().default(false), model: z.string().optional() }),
    refused: { speed: (value) => value === 1 },
    answer: z.unknown(),
    translate: ({ input, model }) =>
      chatRequest.parse({ messages: [{ role: 'user', content: input }], ...(model && { model }) }),
    presenter: ({ loud }) => {
      return ({ output: [item] }) => ({ said: item?.type === 'text' ? item.text.trim() : null, loud });
    },
  }),
);

let server: TestServer;
let mounted: Server;

beforeAll(async () => {
  server = await startTestServer();
  const app = express();
  app.use(beginRequest(server.services));
  app.post('/openai/v1/say', noteRoute(say), ...authenticator(server.services.accounts), serveRoute(say));
  app.use(answerError);
  mounted = createServer(app).listen(0, '127.0.0.1');
  await once(mounted, 'listening');
});
afterAll(async () => {
  mounted.close();
  mounted.closeAllConnections();
  await server.stop();
});

async function ask(body: object, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Answer> {
  const { port } = mounted.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/openai/v1/say`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.accessToken}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

test('answers with what the endpoint presents, and names the execution and ignored fields', async () => {
  const answer = await ask({ input: 'count 3', loud: true, user: 'me', none: null, speed: 1, 'x y': 1 });
  expect([answer.status, answer.body]).toEqual([200, { said: '1 2 3', loud: true }]);
  expect(answer.headers.get('x-ignored-fields')).toBe('user');
  const id = answer.headers.get('x-execution-id');
  const job = (await server.call('GET', `/jobs/${id}`)).body;
  expect(job).toMatchObject({ kind: 'chat.completion', status: 'succeeded' });
});

test.each([
  [{ input: '' }, 400, 'input'],
  [{ input: 'count 1', speed: 2 }, 400, 'speed'],
  [{ input: 'count 1', model: 'unknown/x' }, 404, 'model'],
])('refuses %j with %i and names the field', async (body, status, param) => {
  const answer = await ask(body);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', param });
  expect(answer.headers.get('x-execution-id')).toBeNull();
});

test('answers a failed execution with its error', async () => {
  const answer = await ask({ input: 'fail' });
  expect([answer.status, answer.body]).toEqual([
    400,
    { error: { message: 'It fails.', type: 'invalid_request_error', param: null, code: 'content_refused' } },
  ]);
  expect(answer.headers.get('x-should-retry')).toBe('false');
  const { body } = await server.call('GET', `/jobs/${answer.headers.get('x-execution-id')}`);
  expect(body.status).toBe('failed');
});

test('the same Idempotency-Key runs once, and each request presents as it asks', async () => {
  const before = server.turns;
  const headers = { 'idempotency-key': `key-${before}` };
  const [one, other] = await Promise.all([
    ask({ input: 'count 5', loud: true }, headers),
    ask({ input: 'count 5', loud: true }, headers),
  ]);
  const again = await ask({ input: 'count 5', loud: true }, headers);
  for (const answer of [one, other, again])
    expect([answer.status, answer.body]).toEqual([200, { said: '1 2 3 4 5', loud: true }]);
  expect(again.headers.get('x-execution-id')).toBe(one.headers.get('x-execution-id'));
  expect(server.turns).toBe(before + 1);
  const mismatch = await ask({ input: 'count 6', loud: true }, headers);
  expect([mismatch.status, mismatch.body.error.code]).toEqual([422, 'idempotency_mismatch']);
});

test('a client that disconnects does not stop the work', async () => {
  const gone = new AbortController();
  const before = server.turns;
  const asked = ask({ input: 'hold 3' }, {}, gone.signal);
  asked.catch(() => undefined);
  await expect.poll(() => server.turns).toBe(before + 1);
  gone.abort();
  await expect(asked).rejects.toThrow();
  server.release();
  const newest = async () => (await server.call('GET', '/jobs?limit=1')).body.data[0];
  await expect.poll(async () => (await newest()).status).toBe('succeeded');
});
