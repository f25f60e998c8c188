import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApi, startTestApi, type TestApi } from './test-api.ts';
import { publishModels } from './test-chat.ts';
import { freshPerson } from './test-people.ts';

let api: TestApi;
let other: Awaited<ReturnType<typeof startSecondApi>>;

beforeAll(async () => {
  api = await startTestApi({
    EVENT_STREAMS_PER_USER: '3',
    WAITING_REQUESTS_PER_USER: '2',
    EXECUTIONS_PER_USER: '4',
    BATCHES_PER_USER: '1',
    UPLOADS_PER_USER: '1',
  });
  other = await startSecondApi(api);
  await publishModels(api, 'media', { 'embedded/canvas': ['image'] });
});
afterAll(async () => {
  await other?.stop();
  await api?.stop();
});

const now = { headers: { prefer: 'respond-async' } };
const image = { body: { prompt: 'a sun' } };

interface Open {
  status: number;
  body: Promise<{ error: { code: string; message: string } }>;
  retryAfter: string | null;
  close(): void;
}

/** Sends a request with an open-ended response to one of the two processes. */
async function open(url: string, path: string, token = api.accessToken, init: RequestInit = {}): Promise<Open> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}`, 'x-scope-type': 'personal', 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1${path}`, { headers, signal: leaving.signal, ...init });
  return {
    status: response.status,
    body: response.ok ? new Promise(() => {}) : (response.json() as Open['body']),
    retryAfter: response.headers.get('retry-after'),
    close: () => leaving.abort(),
  };
}

const statuses = (all: readonly Open[]) => all.map(({ status }) => status).sort();

test('event streams: the limit applies across processes and kinds of streams; closing one allows another', async () => {
  const { body: job } = await api.call('POST', '/iris/generate', { ...image, ...now });
  const paths = ['/events', `/jobs/${job.id}/events`, '/events', '/events', `/jobs/${job.id}/events`, '/events'];
  const opened = await Promise.all(paths.map((path, at) => open(at % 2 ? api.url : other.url, path)));
  expect(statuses(opened)).toEqual([200, 200, 200, 429, 429, 429]);
  const refused = opened.find(({ status }) => status === 429);
  expect(refused?.retryAfter).toBe('5');
  expect((await refused?.body)?.error).toMatchObject({
    code: 'limit_reached',
    message: expect.stringMatching(/3 event streams open.*EVENT_STREAMS_PER_USER/),
  });
  // Other users have separate limits.
  const { token } = await freshPerson(api);
  const theirs = await open(api.url, '/events', token);
  expect(theirs.status).toBe(200);
  theirs.close();
  // A client that disconnects frees its slot.
  for (let time = 0; time < 6; time += 1) {
    opened.find(({ status }) => status === 200)?.close();
    opened.splice(
      opened.findIndex(({ status }) => status === 200),
      1,
    );
    await expect
      .poll(async () => {
        const next = await open(other.url, '/events');
        if (next.status === 200) opened.push(next);
        return next.status;
      })
      .toBe(200);
  }
  for (const { close } of opened) close();
  await api.call('POST', `/jobs/${job.id}/cancel`, { body: {} });
});

test('waiting and streaming requests: nothing starts beyond the limit', async () => {
  const { id, token } = await freshPerson(api);
  const begin = (body: object) =>
    open(api.url, '/iris/generate', token, { method: 'POST', body: JSON.stringify({ ...image.body, ...body }) });
  const streams = await Promise.all([begin({ stream: true }), begin({ stream: true })]);
  expect(statuses(streams)).toEqual([200, 200]);
  const refused = await begin({});
  expect([refused.status, (await refused.body).error.code]).toEqual([429, 'limit_reached']);
  const as = { headers: { authorization: `Bearer ${token}` } };
  const { data } = (await api.call('GET', '/jobs', as)).body;
  expect(data).toHaveLength(2);
  // Requests that do not wait still start.
  const begun = await api.call('POST', '/iris/generate', { ...image, headers: { ...as.headers, ...now.headers } });
  expect(begun.status).toBe(200);
  for (const { close } of streams) close();
  expect(id).not.toBe('');
});

test('executions: the limit applies across processes; finished or lost ones free their slots', async () => {
  const { id: userId, token } = await freshPerson(api);
  const as = { authorization: `Bearer ${token}` };
  const begin = (from: Pick<TestApi, 'call'>) =>
    from.call('POST', '/iris/generate', { ...image, headers: { ...as, ...now.headers } });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => begin(at % 2 ? api : other)));
  const begun = answers.filter(({ status }) => status === 200).map(({ body }) => body.id as string);
  expect(begun).toHaveLength(4);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error).toMatchObject({
    code: 'limit_reached',
    message: expect.stringMatching(/4 queued or running executions.*EXECUTIONS_PER_USER/),
  });
  expect((await api.call('GET', '/jobs', { headers: as })).body.data).toHaveLength(4);

  await api.call('POST', `/jobs/${begun[0]}/cancel`, { body: {}, headers: as });
  await expect.poll(async () => (await begin(other)).status).toBe(200);
  expect((await begin(api)).status).toBe(429);

  // An end that its process never reported.
  await api.call('POST', `/jobs/${begun[1]}/cancel`, { body: {}, headers: as });
  await api.services.redis.zadd(`chorus:{${userId}}:executions`, Date.now(), begun[1] as string);
  await expect.poll(async () => (await begin(other)).status).toBe(200);
});

test('unfinished batches, and uploads in progress', async () => {
  const { token } = await freshPerson(api);
  const as = { headers: { authorization: `Bearer ${token}` } };
  const batch = { kind: 'iris.image', items: [{ body: { prompt: 'a' } }] };
  const make = () => api.call('POST', '/batches', { body: batch, ...as });
  const first = await make();
  expect(first.status).toBe(200);
  const second = await make();
  expect([second.status, second.body.error.code]).toEqual([429, 'limit_reached']);
  expect(second.headers.get('retry-after')).toBe('30');

  const pending = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('--x\r\n')),
  });
  const leaving = new AbortController();
  const headers = { ...as.headers, 'x-scope-type': 'personal', 'content-type': 'multipart/form-data; boundary=x' };
  const init = { method: 'POST', headers, body: pending, duplex: 'half', signal: leaving.signal };
  const sending = fetch(`${api.url}/api/v1/assets`, init as RequestInit).catch(() => null);
  const form = () => {
    const made = new FormData();
    made.append('file', new Blob(['hello']), 'a.txt');
    return made;
  };
  const upload = () => other.call('POST', '/assets', { body: form(), headers: as.headers });
  await expect.poll(async () => (await upload()).status).toBe(429);
  leaving.abort();
  await sending;
  await expect.poll(async () => (await upload()).status).toBe(200);
});

test('records: refuses clearly beyond the limit', async () => {
  const { id, token } = await freshPerson(api);
  const as = { headers: { authorization: `Bearer ${token}` } };
  const owner = { scope: 'personal', user_id: id, workspace_id: null } as const;
  const { agents } = api.services.database;
  const record = await api.call('POST', '/agents', { body: { name: 'One', instructions: 'Be kind.' }, ...as });
  expect(record.status).toBe(200);
  const one = await agents.get(owner, record.body.id);
  await Promise.all(
    Array.from({ length: 999 }, (_, at) =>
      agents.insert({ ...one!, id: `${record.body.id.slice(0, -4)}${String(at).padStart(4, '0')}` }),
    ),
  );
  const refused = await api.call('POST', '/agents', { body: { name: 'Two', instructions: 'Be kind.' }, ...as });
  expect([refused.status, refused.body.error.code]).toEqual([429, 'limit_reached']);
});

test('a request that is refused for another reason at the limit ends nothing', async () => {
  const { token } = await freshPerson(api);
  const body = JSON.stringify({ prompt: 'a sun', stream: true });
  const waiting = await Promise.all([0, 1].map(() => open(api.url, '/iris/generate', token, { method: 'POST', body })));
  expect(statuses(waiting)).toEqual([200, 200]);
  const wrong = JSON.stringify({ prompt: 'a sun', stream: true, webhook_url: 'http://10.0.0.1/' });
  const refused = await open(api.url, '/iris/generate', token, { method: 'POST', body: wrong });
  expect([refused.status, (await refused.body).error.code]).toEqual([400, 'url_not_allowed']);
  for (const { close } of waiting) close();
});

test('budgets: work beyond one is refused by all processes, and named', async () => {
  const { id: workspace_id } = (await api.call('POST', '/workspaces', { body: { name: 'Budget' } })).body;
  const path = `/workspaces/${workspace_id}/budget`;
  const none = { object: 'budget', workspace_id, api_key_id: null, daily_usd: null, monthly_usd: null, periods: [] };
  expect((await api.call('GET', path)).body).toMatchObject(none);
  const patched = await api.call('PATCH', path, { body: { daily_usd: 0, webhook_url: 'https://example.org/x' } });
  expect(patched.body).toMatchObject({
    daily_usd: 0,
    webhook_url: 'https://example.org/x',
    periods: [{ period: 'daily', limit_usd: 0, spent_usd: 0, reserved_usd: 0 }],
  });
  const inWorkspace = { 'x-scope-type': 'workspace', 'x-workspace-id': workspace_id };
  const run = (of: Pick<TestApi, 'call'>) =>
    of.call('POST', '/iris/generate', { ...image, headers: { ...now.headers, ...inWorkspace } });
  const code = async (of: Pick<TestApi, 'call'>) => {
    const { body } = await run(of);
    // Jobs that start before the process knows the budget must not use up the user's places.
    if (body.id) await api.call('POST', `/jobs/${body.id}/cancel`, { body: {}, headers: inWorkspace });
    return body.error?.code;
  };
  for (const process of [api, other]) await expect.poll(() => code(process)).toBe('budget_exceeded');
  const refused = await run(other);
  const { resets_at } = patched.body.periods[0];
  expect(refused.body.error).toMatchObject({
    code: 'budget_exceeded',
    message:
      'The daily budget of this workspace, 0 USD, is used up: 0 USD are spent, 0 USD reserved by running work, ' +
      `and 0 USD left. It resets at ${resets_at}.`,
    budget: {
      ...{ subject: `workspace:${workspace_id}`, period: 'daily', limit_usd: 0, spent_usd: 0, reserved_usd: 0 },
      ...{ left_usd: 0, asked_usd: 0, resets_at },
    },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

  // A key has another budget, in any scope.
  const small = { name: 'small', monthly_budget_usd: 3 };
  const { id, secret } = (await api.call('POST', '/api-keys', { body: small })).body;
  expect((await api.call('GET', `/api-keys/${id}/budget`)).body).toMatchObject({ daily_usd: null, monthly_usd: 3 });
  expect((await api.call('PATCH', `/api-keys/${id}/budget`, { body: { monthly_usd: 0 } })).status).toBe(200);
  const byKey = () =>
    api.call('POST', '/iris/generate', {
      ...image,
      headers: { ...now.headers, authorization: null, 'x-api-key': secret },
    });
  const refusal = async () => {
    const { body } = await byKey();
    if (body.id) await api.call('POST', `/jobs/${body.id}/cancel`, { body: {} });
    return body.error?.message;
  };
  await expect.poll(refusal).toMatch('The monthly budget of this API key, 0 USD');

  await api.call('PATCH', path, { body: { daily_usd: null, webhook_url: null } });
  await expect.poll(() => code(other)).not.toBe('budget_exceeded');
  expect((await api.call('GET', path)).body).toMatchObject(none);
  const audit = await api.call('GET', '/audit?action=budget.changed', { headers: inWorkspace });
  expect(audit.body.data.map(({ details }: { details: object }) => details)).toEqual([
    { daily_usd: null, monthly_usd: null },
    { daily_usd: 0, monthly_usd: null },
  ]);
});
