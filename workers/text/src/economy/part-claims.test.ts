import { newId, type Owner, PROVIDERS } from '@chorus/contract';
import { type BatchPartRecord, connectDatabase, type Database } from '@chorus/database';
import { type Batches, createProviders, type OpenedProviders } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startFakeOpenAI, startFakeProvider, type TestDatabases, temporaryFolder } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { EconomyRunner } from './economy-runner.ts';
import { LostPart, type PartParts, PartRun } from './run-part.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const signal = new AbortController().signal;
const options = { signal, executionId: 'job_test' };

let store: TestDatabases;
let database: Database;
let folder: string;
let owner: Owner;
let batch_id: string;

beforeAll(async () => {
  [store, folder] = await Promise.all([sharedStore(), temporaryFolder('parts-')]);
  database = await connectDatabase({ uri: store.uri, log });
});
afterAll(async () => {
  await database?.close();
  await store?.stop();
});
// Other tests must not claim its parts.
afterEach(() => database.batchParts.removeOf(batch_id));

async function insert(model: string): Promise<{ id: string; claim(holder: string): Promise<BatchPartRecord> }> {
  owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  batch_id = newId('batch');
  const part = { owner, batch_id, model, ids: ['job_0'] };
  const id = await database.batchParts.insert(part);
  const claim = async (holder: string) => {
    await database.batchParts.keep(id, 'one', -1);
    return (await database.batchParts.claimDue(holder, 60_000)) as BatchPartRecord;
  };
  return { id, claim };
}

/** A batch endpoint whose process is frozen at some point: `frozen` runs in the meantime. */
function endpoint(frozen: { beforeSend?: () => Promise<unknown>; afterSend?: () => Promise<unknown> }) {
  const sent: string[] = [];
  const cancelled: string[] = [];
  const batches = {
    async *stage() {
      yield { key: 'key', ids: ['job_0'], endpoint: 'responses', discard: async () => undefined };
    },
    async submit(_: unknown, { onRequest }: { onRequest(): Promise<void> }) {
      await frozen.beforeSend?.();
      await onRequest();
      sent.push('mine');
      await frozen.afterSend?.();
      return { id: 'mine', endpoint: 'responses' };
    },
    cancel: async ({ id }: { id: string }) => void cancelled.push(id),
    delete: async () => undefined,
  };
  const providers = { batchesOf: async () => batches as unknown as Batches } as unknown as OpenedProviders;
  return { sent, cancelled, parts: { database, providers, log, folder, pollMs: 10 } as unknown as PartParts };
}

const other = (id: string) => ({ operation: { id, endpoint: 'responses' }, state: 'running' as const });

test('sends nothing once another process has the part', async () => {
  const { claim } = await insert('openai/gpt-4o');
  const { sent, parts } = endpoint({ beforeSend: () => claim('two') });
  const part = await claim('one');
  await expect(new PartRun(parts, part, 'one', signal).run()).rejects.toBeInstanceOf(LostPart);
  expect(sent).toEqual([]);
});

test.each([
  ['cancels a batch that was sent twice', 'theirs', ['mine']],
  ['leaves a batch that the other process has found', 'mine', []],
])('%s', async (_, stored, withdrawn) => {
  const { id, claim } = await insert('openai/gpt-4o');
  const takeOver = async () => {
    await claim('two');
    setTimeout(() => void database.batchParts.save(id, 'two', other(stored)), 50);
  };
  const { sent, cancelled, parts } = endpoint({ afterSend: takeOver });
  const part = await claim('one');
  await expect(new PartRun(parts, part, 'one', signal).run()).rejects.toBeInstanceOf(LostPart);
  expect(sent).toEqual(['mine']);
  expect(cancelled).toEqual(withdrawn);
});

const MODELS = {
  openai: 'openai/gpt-4o',
  anthropic: 'anthropic/claude-haiku-4-5',
  google: 'google/gemini-2.5-flash',
  mistral: 'mistral/mistral-small-latest',
  groq: 'groq/llama-3.1-8b-instant',
} as const;

test.each(Object.keys(MODELS) as (keyof typeof MODELS)[])(
  '%s: erases a running batch of an erased user',
  async (name) => {
    const limits = { batchMs: 600_000 };
    const fake = name === 'openai' ? await startFakeOpenAI({ limits }) : await startFakeProvider(name, { limits });
    const off = PROVIDERS.map((one) => [
      one,
      { apiKey: one === name ? 'key' : null, baseUrl: one === name ? fake.url : null },
    ]);
    const providers = createProviders(Object.fromEntries(off), { log });
    onTestFinished(async () => {
      providers.close();
      await fake.close();
    });
    await providers.ready();
    const model = MODELS[name];
    const { id, claim } = await insert(model);
    await claim('one');
    const batches = (await providers.batchesOf(model)) as Batches;
    const call = { model, messages: [{ role: 'user' as const, content: 'a secret' }], settings: {} };
    async function* requests() {
      yield { id: 'job_0', ...(await batches.planChat(call))! };
    }
    for await (const staged of batches.stage(requests(), { folder, model, nextKey: () => id })) {
      const operation = await batches.submit(staged, options);
      const sent = { operation, state: 'running', submitted_at: new Date(), endpoint: staged.endpoint } as const;
      await database.batchParts.save(id, 'one', sent);
      await staged.discard();
    }

    await database.erasure.erase({ user_id: owner.user_id });
    expect(await database.batchParts.get(id)).toMatchObject({ erased: true, owner: { user_id: 'erased' } });
    expect(await database.batchParts.keep(id, 'one', 60_000)).toBe(false);
    const parts = { database, providers, log, pollMs: 20 } as unknown as PartParts;
    // Killed after a first look.
    const killed = new EconomyRunner(parts);
    await vi.waitFor(() => expect(fake.requests.some(({ path }) => path.includes('cancel'))).toBe(true), 5_000);
    await killed.close();
    const runner = new EconomyRunner(parts);
    await vi.waitFor(async () => expect(await database.batchParts.get(id)).toBeNull(), 10_000);
    await runner.close();
    const deleted = fake.requests.filter(({ method }) => method === 'DELETE');
    expect(deleted.length).toBeGreaterThan(0);
  },
);
