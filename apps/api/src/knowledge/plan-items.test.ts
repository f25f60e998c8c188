import { BATCH_BODIES, ChorusError, newId, type Owner, toErrorBody } from '@chorus/contract';
import { newExecution } from '@chorus/executions';
import { planBatchItem } from '@chorus/jobs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const KIND = 'knowledge.ingest';
const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Begins a batch item as the feeder does, and returns the job's input. */
async function begin(
  owner: Owner,
  body: object,
  {
    id = newId('job'),
    begunAs = null,
    retryOf = null,
  }: { id?: string; begunAs?: string | null; retryOf?: string | null } = {},
) {
  const requester = { owner, agent: null, apiKeyId: null, requestId: null, path: 'body', begunAs, retryOf };
  const work = await planBatchItem(KIND, BATCH_BODIES[KIND].parse(body), requester, api.services);
  return 'begin' in work ? (await work.begin(id)).input : work.input;
}

test('creates one entry per item, no matter how often its start is repeated', async () => {
  const owner = personal();
  const { knowledge } = api.services.database;
  const id = newId('job');
  const first = await begin(owner, { content: 'One text.' }, { id });
  expect(first).toEqual({ entry_id: expect.stringMatching(/^kno_/), revision: 1 });
  expect(await begin(owner, { content: 'One text.' }, { id, begunAs: id })).toEqual(first);
  // In between, the sweep found no execution.
  await knowledge.fail(owner, first.entry_id, id, toErrorBody(new ChorusError('worker_lost', 'Lost.'), null));
  expect(await begin(owner, { content: 'One text.' }, { id, begunAs: id })).toEqual(first);
  expect(await knowledge.get(owner, first.entry_id)).toMatchObject({ status: 'processing', execution_id: id });
  const { total } = await knowledge.counts(owner, {});
  expect(total).toBe(1);
});

test('marks items with the same content as duplicates, even if they start together', async () => {
  const owner = personal();
  const body = { content: 'The same text.' };
  const inputs = await Promise.all([begin(owner, body), begin(owner, body), begin(owner, body)]);
  expect(new Set(inputs.map(({ entry_id }) => entry_id)).size).toBe(1);
  expect(inputs.filter(({ duplicate }) => duplicate)).toHaveLength(2);
  expect((await begin(owner, { ...body, on_duplicate: 'create' })).duplicate).toBeUndefined();
});

test('continues the failed entry when an item is retried, or sent again', async () => {
  const owner = personal();
  const { executions, knowledge } = api.services.database;
  const id = newId('job');
  const body = { url: 'https://example.org/a.html' };
  const input = await begin(owner, body, { id });
  await executions.insert(newExecution({ id, kind: KIND, owner, model: null, input }));
  const fail = (execution: string, entry: string) =>
    knowledge.fail(owner, entry, execution, toErrorBody(new ChorusError('timeout', 'Late.'), null));
  await fail(id, input.entry_id);
  expect(await begin(owner, body, { retryOf: id })).toEqual(input);

  const text = { content: 'A text that fails.' };
  const other = newId('job');
  const failed = await begin(owner, text, { id: other });
  await fail(other, failed.entry_id);
  expect(await begin(owner, text)).toEqual(failed);
});

test('refuses an asset of another owner', async () => {
  await expect(begin(personal(), { asset_id: newId('asset') })).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'body.asset_id' }],
  });
});
