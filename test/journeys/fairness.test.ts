import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ApiClient } from './api-client.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';
import { SeededRandom } from './seeded-random.ts';

/** A single worker, so that users compete for it. Embedding is local, so documents take a while. */
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ knowledgeWorkers: 1, env: { JSON_LIMIT_BYTES: '20000000' } });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

async function newcomer(): Promise<ApiClient> {
  const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const { client, apis } = platform;
  const { body: workspace } = await client.post('/workspaces', { name: 'Guests' });
  const { body: invitation } = await client
    .inWorkspace(workspace.id)
    .post(`/workspaces/${workspace.id}/invitations`, { email: login.email, role: 'viewer' });
  const nobody = { headers: { authorization: null, 'x-scope-type': null } };
  const accepted = { token: invitation.token, password: login.password };
  const { status, body } = await client.post('/invitations/accept', accepted, nobody);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return ApiClient.login(() => String(apis[0]?.url), login);
}

async function create(client: ApiClient, body: Record<string, unknown>): Promise<Payload> {
  const answer = await client.post('/console/knowledge', { on_duplicate: 'create', ...body });
  expect([answer.status, answer.body.error]).toEqual([200, null]);
  return answer.body;
}

const entry = async (client: ApiClient, id: string): Promise<Payload> =>
  (await client.get(`/console/knowledge/${id}`)).body;

const ready = (client: ApiClient, id: string, withinMs = 60_000) =>
  poll(
    `${id} is ready`,
    async () => {
      const found = await entry(client, id);
      if (found.status === 'failed') throw new Error(JSON.stringify(found.error));
      return found.status === 'ready' ? found : undefined;
    },
    withinMs,
  );

/** Returns a text that takes a worker minutes. */
function longText(seed: number, words = 60_000): string {
  const random = new SeededRandom(seed);
  const word = () =>
    Array.from({ length: random.between(4, 9) }, () => String.fromCharCode(random.between(97, 122))).join('');
  return Array.from({ length: words }, (_, at) => (at % 12 === 11 ? `${word()}.` : word())).join(' ');
}

/** Long documents per user: more than the places for them. */
const EACH = 3;

/**
 * Created before any request: it blocks for a second, in which the client would not notice that the server closes a
 * connection that it is about to reuse.
 */
const LONG_TEXTS = Array.from({ length: 2 * EACH }, (_, seed) => longText(seed));

it('does not delay other users while ten repetitive files are queued', async () => {
  const heavy = platform.client;
  const files = ['> '.repeat(1_400_000), '['.repeat(1_000_000)];
  const queued = await Promise.all(
    Array.from({ length: 10 }, (_, at) => create(heavy, { content: files[at % 2], format: 'markdown' })),
  );
  const light = await newcomer();
  const { id } = await create(light, { content: 'The lighthouse of Holm was built in 1911.' });
  await ready(light, id);
  for (const { id } of queued) expect((await ready(heavy, id)).chunk_count).toBe(1);
});

it('serves a third user while two have long documents queued, and resumes preempted work', async () => {
  const heavy = [platform.client, await newcomer()];
  const begun = await Promise.all(
    heavy.flatMap((client, user) =>
      Array.from({ length: EACH }, async (_, at) => ({
        client,
        ...(await create(client, { content: LONG_TEXTS[user * EACH + at] })),
      })),
    ),
  );
  await poll(
    'both embed',
    async () => {
      const stages = await Promise.all(begun.map(async ({ client, id }) => (await entry(client, id)).stage));
      return stages.filter((stage) => stage === 'embedding').length >= 2 || undefined;
    },
    60_000,
  );
  const light = await newcomer();
  // Simultaneous documents need more than the one reserved place, and long work has to yield.
  const lines = await Promise.all(
    Array.from({ length: 4 }, (_, at) => create(light, { content: `House number ${at} stands at the gate.` })),
  );
  for (const { id } of lines) await ready(light, id, 100_000);
  // No long job has failed: each is waiting or running, and can be canceled.
  const jobs = await Promise.all(
    begun.map(async ({ client, execution_id }) => (await client.job(execution_id)).status),
  );
  for (const status of jobs) expect(['queued', 'running', 'succeeded']).toContain(status);
  for (const { client, execution_id } of begun) await client.post(`/jobs/${execution_id}/cancel`);
  for (const { client, execution_id } of begun)
    await poll(
      `${execution_id} has ended`,
      async () => (await client.job(execution_id)).finished_at ?? undefined,
      60_000,
    );
}, 400_000);
