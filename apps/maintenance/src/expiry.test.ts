import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { BATCHES_CHANNEL } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endExpired } from './expiry.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await database?.close();
  await store?.stop();
});

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

async function fileUntil(expires_at: Date | null): Promise<string> {
  const id = newId('asset');
  const unknown = { width: null, height: null, duration_ms: null, perceptual_hash: null, thumbnail: 'none' } as const;
  const content = { kind: 'document', mime_type: 'text/plain', size_bytes: 1, sha256: 'x', filename: null } as const;
  const upload = { execution_id: null, batch_id: null, output_index: null, created_at: new Date() };
  await database.assets.insert({
    id,
    owner,
    ...content,
    ...unknown,
    ...upload,
    file: { purpose: 'vision', expires_at },
  });
  return id;
}

test('deletes files that have expired and no others, and cancels late batches', async () => {
  const now = Date.now();
  const woken: string[] = [];
  const parts = {
    database,
    assets: { remove: (of: Owner, id: string) => database.assets.remove(of, id) },
    eventLog: { wake: (channel: string) => void woken.push(channel) },
  };
  const [kept, later, due] = [
    await fileUntil(null),
    await fileUntil(new Date(now + 60_000)),
    await fileUntil(new Date(now)),
  ];
  expect(await endExpired(parts, new Date(now + 1))).toEqual({ batches: 0, files: 1 });
  expect(woken).toEqual([]);
  expect(await database.assets.existing([kept, later, due])).toEqual(new Set([kept, later]));

  const id = newId('batch');
  const head = { kind: null, defaults: {}, metadata: {}, webhook_url: null, agent_id: null, api_key_id: null };
  const results = { output: null, errors: null, problems: [], keep_s: null, expired: false, written_at: null };
  const files = { endpoint: '/v1/embeddings', input: kept, expires_at: new Date(now), ...results };
  await database.batches.begin({ ...head, id, owner, request_id: null, files });
  await database.batches.commit(owner, id, { total: 1, ordered: false });
  expect(await endExpired(parts, new Date(now + 1))).toEqual({ batches: 1, files: 0 });
  expect(await database.batches.get(owner, id)).toMatchObject({ status: 'cancelling', files: { expired: true } });
  expect(woken).toEqual([BATCHES_CHANNEL]);
});
