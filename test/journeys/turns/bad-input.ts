import { connectRedis, type RedisConnection } from '@chorus/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient, CallOptions } from '../api-client.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';

export function badInputJourneys(getPlatform: () => Platform): void {
  let platform: Platform;
  let client: ApiClient;
  let redis: RedisConnection;
  let session: string;

  beforeAll(async () => {
    platform = getPlatform();
    client = platform.client;
    redis = connectRedis({ url: platform.redis.url, cluster: false }, 'request');
    session = (await client.chat({ message: 'Hello.', model: 'compatible/echo' })).body.session_id;
    // An execution ends before its job leaves the queue.
    await poll('the queue is empty', async () => (await redis.keys('*:active')).length === 0);
  });
  afterAll(() => redis?.disconnect());

  /** Returns everything stored about executions: records, sessions, messages, jobs, logs. */
  async function kept(): Promise<unknown> {
    const [jobs, sessions, keys] = await Promise.all([
      client.get('/jobs?limit=100'),
      client.get('/sessions?limit=100'),
      redis.keys('*'),
    ]);
    return {
      jobs: jobs.body.data,
      sessions: sessions.body.data,
      messages: await client.messages(session),
      // Other keys change in the background, such as workers' health.
      keys: keys.filter((key) => /\{job_/.test(key) || /:(wait|active|failed|\d+|job_\w+)$/.test(key)).sort(),
    };
  }

  const answersAsked = () => platform.fake.requests.filter(({ method }) => method === 'POST').length;

  const message = 'Go.';
  const model = 'compatible/echo';
  const messages = [{ role: 'user', content: 'Go.' }];
  const unknownSession = 'ses_01k9zzzzzzfzzbzzzzzzzzzzzz';

  const CASES: [name: string, status: number, code: string, body: unknown, options?: CallOptions][] = [
    ['broken JSON', 400, 'invalid_json', '{"message": '],
    ['no object', 400, 'invalid_request', '[]'],
    ['nothing', 400, 'invalid_request', {}],
    ['an empty message', 400, 'invalid_request', { message: '', model }],
    ['a message of the wrong type', 400, 'invalid_request', { message: 7, model }],
    ['both forms', 400, 'invalid_request', { message, messages, model }],
    ['messages in a session', 400, 'invalid_request', { messages, session_id: 'SESSION', model }],
    ['no messages', 400, 'invalid_request', { messages: [], model }],
    ['an unknown role', 400, 'invalid_request', { messages: [{ role: 'god', content: 'x' }], model }],
    ['an unknown part type', 400, 'invalid_request', { messages: [{ role: 'user', content: [{ type: 'x' }] }], model }],
    ['a temperature out of range', 400, 'invalid_request', { message, model, temperature: 3 }],
    ['a stream of the wrong type', 400, 'invalid_request', { message, model, stream: 'yes' }],
    ['metadata that is not text', 400, 'invalid_request', { message, model, metadata: { a: 1 } }],
    ['an unknown model', 400, 'model_not_found', { message, model: 'nobody/knows' }],
    ['a model without a name', 400, 'model_not_found', { message, model: 'compatible/' }],
    ['a malformed session', 404, 'not_found', { message, model, session_id: 'ses_1' }],
    ['an unknown session', 404, 'not_found', { message, model, session_id: unknownSession }],
    ['a body over the limit', 413, 'payload_too_large', { message: 'x'.repeat(100_001), model }],
    [
      'an unsupported media type',
      415,
      'unsupported_media_type',
      'message=Go.',
      { headers: { 'content-type': 'text/plain' } },
    ],
    ['no token', 401, 'unauthorized', { message, model }, { headers: { authorization: null } }],
    ['a forged token', 401, 'unauthorized', { message, model }, { headers: { authorization: 'Bearer a.b.c' } }],
    ['no scope', 422, 'invalid_scope', { message, model }, { headers: { 'x-scope-type': null } }],
    [
      'a conflicting scope',
      422,
      'invalid_scope',
      { message, model },
      { headers: { 'x-workspace-id': crypto.randomUUID() } },
    ],
    [
      'a foreign workspace',
      403,
      'workspace_forbidden',
      { message, model },
      { headers: { 'x-scope-type': 'workspace', 'x-workspace-id': crypto.randomUUID() } },
    ],
    ['an unknown agent', 422, 'invalid_header', { message, model }, { headers: { 'x-agent-id': 'agt_1' } }],
  ];

  it.each(CASES)('%s is answered with %i %s and stores nothing', async (_name, status, code, body, options) => {
    const given = JSON.parse(JSON.stringify(body).replaceAll('SESSION', session));
    const before = await kept();
    const asked = answersAsked();
    const answer = await client.chat(given, options);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code, status, request_id: answer.headers.get('x-request-id') });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await kept()).toEqual(before);
    expect(answersAsked()).toBe(asked);
  });

  it('still runs a turn afterwards', async () => {
    const { body } = await client.chat({ message, model, session_id: session });
    expect(body).toMatchObject({ status: 'succeeded', output: [{ text: 'Go.' }] });
  });
}
