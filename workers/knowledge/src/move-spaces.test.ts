import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attempt, freshOwner, longText, startIngestion, type TestIngestion } from './handlers/test-ingestion.ts';
import { type MovingParts, moveSpaces } from './move-spaces.ts';

let platform: TestIngestion;

beforeAll(async () => {
  platform = await startIngestion();
});
afterAll(async () => {
  await platform?.stop();
});

const NEW_MODEL = 'compatible/other-embedding';

function parts(over: Partial<MovingParts> = {}): MovingParts {
  const { blobs, keys, database, providers } = platform.parts;
  const log = createLogger({ name: 'test', level: 'silent' });
  const signal = new AbortController().signal;
  return { blobs, keys, database, providers, search: platform.search, log, signal, ...over };
}

const paidFor = (model: string) =>
  platform.fake.requests.flatMap(({ path, body }) =>
    path === '/v1/embeddings' && body.model === model ? (body.input as string[]) : [],
  );

test('moves to another model: serves the old index until complete, pays nothing twice, drops the old one', async () => {
  const { database } = platform;
  const owner = freshOwner();
  const ids: string[] = [];
  for (const content of [longText(80, 'meadow'), 'A short one on herons.']) {
    const made = await platform.create(owner, { type: 'text', content, format: 'markdown' }, { tags: ['x'] });
    await attempt({ parts: platform.parts, owner, ...made }).run();
    ids.push(made.id);
  }
  const old = await platform.space();
  expect(old.model).toBe('compatible/words-embedding');
  await moveSpaces(parts());
  expect(await platform.space()).toEqual(old);

  // Dies after some parts were embedded.
  await database.knowledgeSpaces.setWanted(NEW_MODEL);
  const gone = new AbortController();
  let steps = 0;
  const onProgress = async () => {
    steps += 1;
    if (steps === 3) gone.abort(new Error('died'));
  };
  await expect(moveSpaces(parts({ signal: gone.signal, onProgress }))).rejects.toThrow('died');
  expect(await platform.space()).toEqual(old);
  const [long = '', short = ''] = ids;
  expect(await platform.indexed(owner, long, old)).not.toEqual([]);

  // New ingestions go into both.
  const { next } = await database.knowledgeSpaces.get();
  const meanwhile = await platform.create(owner, { type: 'text', content: 'Meanwhile.', format: 'text' });
  await attempt({ parts: platform.parts, owner, ...meanwhile }).run();
  expect((await platform.entry(owner, meanwhile.id)).spaces).toEqual([old.name, next?.name]);

  await moveSpaces(parts());
  const now = await platform.space();
  expect(now).toEqual(next);
  for (const id of [...ids, meanwhile.id]) {
    const entry = await platform.entry(owner, id);
    expect(entry.embedding_model).toBe(NEW_MODEL);
    expect(await platform.indexed(owner, id, now)).toHaveLength(entry.chunk_count);
    expect(await platform.indexed(owner, id, old)).toHaveLength(entry.chunk_count);
  }
  const texts = paidFor('other-embedding').filter((text) => text.includes('meadow') || text.includes('herons'));
  const once = new Set(texts);
  expect(once.size).toBe((await platform.entry(owner, long)).chunk_count + 1);
  expect(texts.length - once.size).toBeLessThanOrEqual(64);
  const files = async (id: string) => (await platform.files(id)).filter((name) => name.includes('vectors-'));
  expect(await files(short)).toHaveLength(2);

  await moveSpaces(parts({ keepFormerMs: -1 }));
  expect((await database.knowledgeSpaces.get()).former).toEqual([]);
  expect(await platform.search.spaces()).toEqual([now.name]);
  expect((await platform.entry(owner, short)).spaces).toEqual([now.name]);
  expect(await files(short)).toHaveLength(1);

  // Changed back while the former space still exists: it is searched again and must not be dropped.
  await database.knowledgeSpaces.setWanted(old.model);
  await moveSpaces(parts());
  await database.knowledgeSpaces.setWanted(NEW_MODEL);
  await moveSpaces(parts());
  expect(await database.knowledgeSpaces.get()).toMatchObject({ current: now, former: [{ name: old.name }] });
  await moveSpaces(parts({ keepFormerMs: -1 }));
  expect(await platform.search.spaces()).toEqual([now.name]);
  for (const id of ids)
    expect(await platform.indexed(owner, id, now)).toHaveLength((await platform.entry(owner, id)).chunk_count);
});

test('changes nothing for a model without a provider, and forgets a reverted change', async () => {
  const { database } = platform;
  const before = await platform.space();
  await database.knowledgeSpaces.setWanted('mistral/mistral-embed');
  await moveSpaces(parts());
  expect(await database.knowledgeSpaces.get()).toMatchObject({ current: before, next: null });
  await database.knowledgeSpaces.setWanted(before.model);
  await database.knowledgeSpaces.prepare({ name: 'abandoned-4', model: 'compatible/x', dimensions: 4 });
  await platform.search.chunks({ name: 'abandoned-4', dimensions: 4 });
  await moveSpaces(parts());
  expect((await database.knowledgeSpaces.get()).next).toBeNull();
  expect(await platform.search.spaces()).not.toContain('abandoned-4');
});

test('fills the index again after an upgrade that changes its terms, without embedding again', async () => {
  const { database } = platform;
  const { current } = await database.knowledgeSpaces.get();
  const before = { name: 'of-an-earlier-version', model: current!.model, dimensions: current!.dimensions };
  await database.knowledgeSpaces.prepare(before);
  await database.knowledgeSpaces.switchTo(before);
  const owner = freshOwner();
  const made = await platform.create(owner, { type: 'text', content: 'The lantern of Tarn.', format: 'text' });
  await attempt({ parts: platform.parts, owner, ...made }).run();
  expect((await platform.entry(owner, made.id)).spaces).toContain(before.name);

  await moveSpaces(parts());
  const now = await platform.space();
  expect(now).toEqual(current);
  expect(await platform.indexed(owner, made.id, now)).toHaveLength(1);
  expect(paidFor('other-embedding').filter((text) => text.includes('lantern'))).toHaveLength(1);
});
