import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, ApiClient } from './api-client.ts';
import { type Platform, startPlatform } from './platform.ts';

let platform: Platform;
let client: ApiClient;

beforeAll(async () => {
  platform = await startPlatform({ apis: 2, env: { RATE_LIMIT_READS: '60', RATE_LIMIT_EXECUTIONS: '1000' } });
  client = platform.client;
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const urlOf = (n: number) => platform.apis[n % 2]!.url;

describe('rate limits', () => {
  it('admits sixty of a hundred requests across both API processes', async () => {
    // Each key has a separate limit.
    const { secret } = (await client.post('/api-keys', { name: 'counted' })).body;
    const headers = { authorization: null, 'x-api-key': secret };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => client.get('/sessions', { url: urlOf(n), headers })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    const [first] = refused;
    expect(first?.body.error).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(Number(first?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(first?.headers.get('ratelimit-policy')).toBe('"reads";q=60;w=60');
    expect(first?.headers.get('ratelimit')).toMatch(/^"reads";r=0;t=\d+$/);
    // Other request classes and anonymous requests are not limited.
    const session = await client.post('/sessions', {}, { headers });
    expect([session.status, session.headers.get('ratelimit-policy')]).toEqual([200, '"writes";q=10000000;w=60']);
    expect((await fetch(`${urlOf(0)}/healthz`)).status).toBe(200);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, n: number) => ({ headers: { 'idempotency-key': key }, url: urlOf(n) });

  it('starts one turn for many requests across both API processes', async () => {
    const key = randomUUID();
    const model = `compatible/words-20@${key}`;
    const ask = (n: number) => client.chat({ message: 'once', model }, keyed(key, n));
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(n)));
    const later = await ask(1);
    expect(new Set([...answers, later].map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body } of [...answers, later]) expect([status, body.status]).toEqual([200, 'succeeded']);
    expect(platform.fake.requests.filter((request) => model.endsWith(`/${request.model}`))).toHaveLength(1);

    const stream = await client.stream({ message: 'once', model }, keyed(key, 0));
    const frames = await stream.frames();
    expect(frames.at(-2)?.data).toMatchObject({ type: 'execution.succeeded', execution: { id: later.body.id } });
    expect((await client.messages(later.body.session_id)).length).toBe(2);

    const other = await client.chat({ message: 'twice', model }, keyed(key, 0));
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_mismatch']);
  });

  it('repeats the first response of requests without an execution', async () => {
    const key = randomUUID();
    const open = (n: number, title = 'mine'): Promise<Answer> => client.post('/sessions', { title }, keyed(key, n));
    const first = await open(0);
    expect((await open(1)).body).toEqual(first.body);
    expect((await open(1, 'other')).body.error.code).toBe('idempotency_mismatch');
    const odd = await client.post('/sessions', {}, { headers: { 'idempotency-key': 'a b' } });
    expect([odd.status, odd.body.error.details[0].path]).toEqual([422, 'headers.idempotency-key']);
  });

  it('can be reused after a refused request', async () => {
    const key = randomUUID();
    const ask = (model: string) => client.chat({ message: 'x', model }, keyed(key, 0));
    expect((await ask('nobody/knows')).status).toBe(400);
    expect((await ask('compatible/echo')).status).toBe(200);
  });
});
