import { newId } from '@chorus/contract';
import { expectedText } from '@chorus/testing';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { measureUpkeep } from '../../apps/maintenance/src/metrics.ts';
import type { ApiClient } from './api-client.ts';
import { namedMetrics } from './named-metrics.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';
import { Transcript } from './transcript.ts';

/** A platform with one place, a short queue, and short retention. */
let platform: Platform;
let client: ApiClient;

const KEPT_EVENTS = 100;

beforeAll(async () => {
  platform = await startPlatform({
    env: {
      TEXT_CONCURRENCY: '1',
      TEXT_MAX_CALLS: '1',
      QUEUE_MAX_DEPTH: '3',
      RETENTION_EVENTS_MS: '3000',
      EVENTS_MAX_LENGTH: String(KEPT_EVENTS),
      JSON_LIMIT_BYTES: '8000000',
    },
  });
  client = platform.client;
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());
afterEach(async () => {
  for (const status of ['queued', 'running']) {
    const { data } = (await client.get(`/jobs?limit=100&status=${status}`)).body;
    for (const { id } of data) await cancel(id);
  }
});

async function occupy(name: string): Promise<string> {
  const { id } = await client.start({ message: 'Stay.', model: `compatible/hang@${name}` });
  await poll('the provider is called', () => platform.fake.requests.find(({ model }) => model === `hang@${name}`));
  return id;
}

const cancel = async (id: string) => (await client.post(`/jobs/${id}/cancel`)).body;

/** Returns all stored data that a user can see. */
async function stored(): Promise<unknown> {
  const [jobs, sessions] = await Promise.all([client.get('/jobs?limit=100'), client.get('/sessions?limit=100')]);
  return {
    jobs: jobs.body.data.map(({ id }: { id: string }) => id),
    sessions: sessions.body.data.map(({ id, message_count }: { id: string; message_count: number }) => [
      id,
      message_count,
    ]),
  };
}

it('cancels a queued turn at once without calling the provider', async () => {
  const running = await occupy('queued');
  const queued = await client.start({ message: 'Later.', model: 'compatible/words-5@never' });
  const cancelled = await cancel(queued.id);
  expect(cancelled).toMatchObject({ id: queued.id, status: 'cancelled', output: [], started_at: null });
  const frames = await (await client.events(queued.id)).frames();
  expect(frames.map(({ data }) => data?.type)).toEqual(['execution.queued', 'execution.cancelled', undefined]);
  const [, answer] = await client.messages(queued.session_id);
  expect(answer).toMatchObject({ status: 'cancelled', content: '' });
  expect((await client.get(`/sessions/${queued.session_id}`)).body.active_execution_id).toBeNull();
  await cancel(running);
  await client.waitForJob(running, ['cancelled']);
  expect(platform.fake.requests.some(({ model }) => model === 'words-5@never')).toBe(false);
});

it('answers 503 with Retry-After and stores nothing while the queue is full', async () => {
  const { body: opened } = await client.chat({ message: 'Hello.', model: 'compatible/echo' });
  const running = await occupy('overload');
  const waiting = [];
  for (let number = 0; number < 2; number += 1) {
    waiting.push(await client.start({ message: 'Wait.', model: 'compatible/words-5' }));
  }
  const before = await stored();
  const { session_id } = opened;
  for (const body of [
    { message: 'Too much.' },
    { message: 'Too much.', session_id },
    { messages: [{ role: 'user', content: 'Too much.' }] },
    { message: 'Too much.', stream: true },
  ]) {
    const { status, headers, body: answer } = await client.chat({ ...body, model: 'compatible/words-5' });
    expect(status).toBe(503);
    expect(answer.error.code).toBe('overloaded');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // Validation errors take precedence.
  const late = (session: string) => client.chat({ message: 'Too much.', session_id: session });
  expect((await late(newId('session'))).status).toBe(404);
  expect((await late(waiting[0]?.session_id)).body.error).toMatchObject({
    code: 'session_locked',
    active_execution_id: waiting[0]?.id,
  });
  expect(await stored()).toEqual(before);
  expect((await client.get(`/sessions/${session_id}`)).body.active_execution_id).toBeNull();
  const health = (await client.get('/chat/health')).body;
  expect(health.pools.find(({ name }: { name: string }) => name === 'text')).toMatchObject({ waiting: 2 });

  await cancel(running);
  for (const { id } of waiting) expect((await client.waitForJob(id)).status).toBe('succeeded');
  expect((await client.chat({ message: 'Now?', model: 'compatible/echo', session_id })).status).toBe(200);
});

it('answers with only the terminal event once the log has expired', async () => {
  const whole = await (await client.stream({ message: 'Go.', model: 'compatible/words-10' })).frames();
  expect(whole.length).toBeGreaterThan(3);
  const id = whole[0]?.data.execution_id;
  const replay = (after?: number) => client.events(id, after).then((stream) => stream.frames());
  const alone = await poll('the log expires', async () => {
    const frames = await replay();
    return frames.length === 2 ? frames : undefined;
  });
  expect(alone[0]?.data).toMatchObject({
    type: 'execution.succeeded',
    execution: { id, output: [{ type: 'text', text: expectedText('words-10') }] },
  });
  expect(alone[1]?.data).toBeNull();
  // After a reconnect, sequence numbers continue.
  const [rest] = await replay(7);
  expect(rest?.data.seq).toBeGreaterThan(7);
  expect(rest?.data.execution).toEqual(alone[0]?.data.execution);
});

it('gives late readers of a long answer the text so far, then the rest', async () => {
  const stream = await client.stream({ message: 'Go.', model: 'compatible/words-800-delay-7' });
  const given = new Transcript();
  const late: Promise<Transcript>[] = [];
  for await (const frame of stream) {
    given.add(frame);
    if (given.deltas.size % 30 !== 29 || given.terminal || late.length === 8) continue;
    const reading = client.events(given.executionId ?? '', 0).then((reader) => reader.frames());
    late.push(reading.then((frames) => Transcript.of(frames)));
  }
  // A reader that kept up gets no reset.
  expect(given.resets).toEqual([]);
  expect(given.text).toBe(expectedText('words-800'));
  // Before the log expires.
  const afterwards = client.events(given.executionId ?? '').then((reader) => reader.frames());
  const [last, ...transcripts] = await Promise.all([afterwards.then((frames) => Transcript.of(frames)), ...late]);
  // The number of deltas depends on the machine's load.
  expect(transcripts.length).toBeGreaterThan(0);
  for (const transcript of [last, ...transcripts]) {
    expect(transcript.text).toBe(given.text);
    expect(transcript.last).toBe(given.last);
  }
  expect(last.resets).toMatchObject(given.last > KEPT_EVENTS ? [{ reason: 'log_trimmed' }] : []);
});

it('reports by /chat/health whether chats can run, and refuses them until a worker has started', async () => {
  const [worker] = platform.textWorkers;
  const well = await client.get('/chat/health');
  expect(well.status).toBe(200);
  expect(well.body).toMatchObject({ store: { status: 'ok' }, redis: { status: 'ok' } });
  expect(well.body.models).toContainEqual(expect.objectContaining({ id: 'compatible/echo', status: 'ok' }));
  expect(well.body.pools).toContainEqual(
    expect.objectContaining({ name: 'text', status: 'ok', workers: 1, concurrency: 2 }),
  );

  expect(await worker?.end('SIGTERM')).toBe(0);
  const ill = await poll('health reports that the worker is gone', async () => {
    const answer = await client.get('/chat/health');
    return answer.status === 503 ? answer : undefined;
  });
  expect(ill.body).toMatchObject({ status: 'unavailable', error: { code: 'overloaded' } });
  expect(ill.body.pools).toContainEqual(expect.objectContaining({ name: 'text', status: 'missing', workers: 0 }));
  const before = await stored();
  expect((await client.chat({ message: 'Anybody?' })).status).toBe(503);
  expect(await stored()).toEqual(before);

  await worker?.start();
  await poll('health reports a worker', async () => (await client.get('/chat/health')).status === 200);
  expect((await client.chat({ message: 'Anybody?', model: 'compatible/echo' })).body.output[0].text).toBe('Anybody?');
});

it('serves the metrics that the documentation, the dashboard, and the alert rules name', async () => {
  await client.chat({ message: 'Go.', model: 'compatible/words-10' });
  await (await client.stream({ message: 'Go.', model: 'compatible/words-10' })).frames();
  const named = namedMetrics();
  expect(named.size).toBeGreaterThan(25);
  // This platform has no maintenance process.
  const upkeep = new Registry();
  measureUpkeep(upkeep);
  const ofMaintenance = await upkeep.metrics();
  let missing: string[] = [];
  const served = async () => {
    const paths = ['/metrics', '/metrics/platform'];
    const bodies = await Promise.all(paths.map((path) => client.get(path, { headers: { authorization: null } })));
    const text = [...bodies.map(({ body }) => body as string), ofMaintenance].join('\n');
    missing = [...named].filter((name) => !text.includes(`# TYPE ${name} `));
    return missing.length === 0 && /^chorus_tokens_total\{.*pool="text",process="[^"]+"\} \d/m.test(text);
  };
  await poll('all metrics are served, including those of workers', served).catch((error) => {
    throw new Error(`not served: ${missing.join(', ')}`, { cause: error });
  });
});
