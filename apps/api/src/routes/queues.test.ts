import { ChorusError, newId, type Owner } from '@chorus/contract';
import { failedOutcome } from '@chorus/executions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';
import { freshPerson } from '../test-people.ts';

const WORDS = 'words that nobody else is to see';

let api: TestApi;
let person: Awaited<ReturnType<typeof freshPerson>>;
beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: 'embedded/assistant' });
  await publishChatModels(api, ['embedded/assistant']);
  person = await freshPerson(api);
});
afterAll(() => api.stop());

/** Queues a job of another user. */
async function queueJob(): Promise<{ id: string; owner: Owner }> {
  const headers = { authorization: `Bearer ${person.token}`, prefer: 'respond-async' };
  const body = { messages: [{ role: 'user', content: WORDS }] };
  const { id } = (await api.call('POST', '/chat/completions', { headers, body })).body;
  return { id, owner: { scope: 'personal', user_id: person.id, workspace_id: null } };
}

async function failedJob(): Promise<string> {
  const { id, owner } = await queueJob();
  const outcome = failedOutcome(new ChorusError('timeout', 'Too late.'), null);
  await api.services.database.executions.finish(owner, id, null, outcome);
  return id;
}

const list = async (query: string) => (await api.call('GET', `/queues/jobs?${query}`)).body;
const auditOf = async (action: string) => {
  const headers = { authorization: `Bearer ${person.token}` };
  const { data } = (await api.call('GET', `/audit?action=${action}`, { headers })).body;
  return data.map(({ target }: { target: { id: string } }) => target.id);
};

test('counts the jobs of each pool', async () => {
  await queueJob();
  await failedJob();
  const { data } = (await api.call('GET', '/queues')).body;
  expect(data.map(({ pool }: { pool: string }) => pool)).toEqual(['text', 'media', 'vision', 'knowledge', 'voice']);
  expect(data[0].waiting + data[0].delayed).toBeGreaterThanOrEqual(1);
  expect(data[0].failed).toBeGreaterThanOrEqual(1);
  expect(data[0].oldest_waiting_s).toBeGreaterThanOrEqual(0);
  expect(data[0].finished_by_minute).toHaveLength(60);
  expect(data[1]).toMatchObject({ waiting: 0, delayed: 0, running: 0, failed: 0, oldest_waiting_s: null });
});

test('retries a failed job once, for its user, and lists it without content', async () => {
  const id = await failedJob();
  const page = await list('state=failed&pool=text');
  expect(page.data[0]).toMatchObject({ id, user_email: person.email, pool: 'text', error: { code: 'timeout' } });
  expect(JSON.stringify(page)).not.toContain('nobody else');
  expect((await list('state=failed&pool=media')).data).toEqual([]);

  const unknown = newId('job');
  const { data } = (await api.call('POST', '/queues/jobs/retry', { body: { ids: [id, unknown] } })).body;
  expect(data).toEqual([
    { id, retried_as: expect.stringMatching(/^job_/), error: null },
    { id: unknown, retried_as: null, error: { code: 'not_found', message: expect.any(String) } },
  ]);
  const headers = { authorization: `Bearer ${person.token}` };
  const retry = (await api.call('GET', `/jobs/${data[0].retried_as}`, { headers })).body;
  expect(retry).toMatchObject({ retry_of: id, status: 'queued', user_id: person.id });
  expect((await list('state=failed')).data.map((job: { id: string }) => job.id)).not.toContain(id);
  const again = (await api.call('POST', '/queues/jobs/retry', { body: { ids: [id] } })).body;
  expect(again.data).toMatchObject([{ retried_as: null, error: { code: 'job_not_retryable' } }]);
  expect(await auditOf('execution.retried_by_operator')).toEqual([id]);
});

test('cancels a waiting job of another user', async () => {
  const { id } = await queueJob();
  const listed = (await list('state=unfinished&limit=100')).data;
  expect(listed).toContainEqual(expect.objectContaining({ id, status: 'queued' }));
  const { data } = (await api.call('POST', '/queues/jobs/cancel', { body: { ids: [id] } })).body;
  expect(data).toEqual([{ id, status: 'cancelled', error: null }]);
  expect(await auditOf('execution.cancelled_by_operator')).toEqual([id]);
});
