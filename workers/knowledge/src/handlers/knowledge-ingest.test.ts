import { createHash } from 'node:crypto';
import { INGESTION_STAGES, newId } from '@chorus/contract';
import { embedRevision, RevisionFiles, spaceOf } from '@chorus/knowledge';
import { writePdf } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attempt, freshOwner, longText, startIngestion, type TestIngestion } from './test-ingestion.ts';

let platform: TestIngestion;

beforeAll(async () => {
  platform = await startIngestion();
});
afterAll(async () => {
  await platform?.stop();
});

const markdown = (content: string) => ({ type: 'text', content, format: 'markdown' }) as const;

test('makes a text searchable in stages, by words and vector, only in its scope', async () => {
  const { parts, search } = platform;
  const owner = freshOwner();
  const content = '# Roses\n\nRoses need sun.\n\n## Pruning\n\nCut them in March, before the first leaves.\n';
  const made = await platform.create(owner, markdown(content), { tags: ['garden'] });
  const run = attempt({ parts, owner, ...made });
  const result = await run.run();
  expect(run.stages()).toEqual(INGESTION_STAGES);
  expect(result).toMatchObject({
    output: [{ type: 'entry', entry_id: made.id, duplicate: false }],
    model: 'compatible/words-embedding',
    warnings: [],
  });
  expect(result.usage.input_tokens).toBeGreaterThan(0);

  const entry = await platform.entry(owner, made.id);
  const space = await platform.space();
  expect(entry).toMatchObject({
    status: 'ready',
    stage: null,
    title: 'Roses',
    searchable_revision: 1,
    embedding_model: 'compatible/words-embedding',
    spaces: [space.name],
    sha256: createHash('sha256').update(content).digest('hex'),
    size_bytes: Buffer.byteLength(content),
  });
  const rows = await platform.indexed(owner, made.id);
  expect(rows).toHaveLength(entry.chunk_count);
  expect(rows.map(({ title, tags, revision }) => ({ title, tags, revision }))).toContainEqual({
    title: 'Roses',
    tags: ['garden'],
    revision: 1,
  });
  const table = await search.chunks(space);
  const question = { text: 'When are they pruned? In March?', limit: 5, weight: 0 };
  const [hit] = await table.find({ scopeKey: `personal:${owner.user_id}`, ...question });
  expect(hit).toMatchObject({ entry_id: made.id, text: expect.stringContaining('Cut them in March') });
  expect(await table.find({ scopeKey: `personal:${freshOwner().user_id}`, ...question })).toEqual([]);
});

test.each([
  { stage: 'fetching' },
  { stage: 'parsing' },
  { stage: 'chunking' },
  { stage: 'embedding', completed: 64 },
  { stage: 'indexing' },
] as const)('resumes after an attempt dies at $stage, and pays for nothing twice', async (dieAt) => {
  const { parts } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown(longText(150, `grove-${dieAt.stage}`)));
  const before = platform.embedded().length;
  const first = attempt({ parts, owner, ...made, dieAt });
  await expect(first.run()).rejects.toThrow(`died at ${dieAt.stage}`);
  const paid = platform.embedded().length - before;
  const second = attempt({ parts, owner, ...made, left: first.left() });
  await second.run();
  const texts = platform.embedded().slice(before);
  const entry = await platform.entry(owner, made.id);
  expect(entry).toMatchObject({ status: 'ready', searchable_revision: 1 });
  expect(entry.chunk_count).toBeGreaterThan(128);
  // At most the three parts in progress are lost.
  const once = new Set(texts);
  expect(once.size).toBe(entry.chunk_count);
  expect(texts.length - once.size).toBeLessThanOrEqual(Math.max(0, paid - 64));
  if (dieAt.stage === 'indexing') expect(paid).toBe(entry.chunk_count);
  expect(second.stages().includes('parsing')).toBe(['fetching', 'parsing', 'chunking'].includes(dieAt.stage));
  expect(await platform.indexed(owner, made.id)).toHaveLength(entry.chunk_count);
});

test('reuses paid embeddings when another execution retries', async () => {
  const { parts, database } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown(longText(150, 'orchard')));
  const before = platform.embedded().length;
  const first = attempt({ parts, owner, ...made, dieAt: { stage: 'embedding', completed: 1 } });
  await expect(first.run()).rejects.toThrow('died');
  await database.knowledge.fail(owner, made.id, made.executionId, {
    code: 'timeout',
    message: 'x',
    status: 504,
    details: [],
    request_id: null,
  });
  const kept = (await platform.files(made.id)).filter((name) => name.includes('/vectors-')).length;
  expect(kept).toBeGreaterThan(0);
  const again = newId('job');
  await database.knowledge.begin(owner, made.id, again);
  const second = attempt({ parts, owner, executionId: again, input: made.input });
  await second.run();
  const { chunk_count } = await platform.entry(owner, made.id);
  expect(new Set(platform.embedded().slice(before)).size).toBe(chunk_count);
  expect(second.stages()).toEqual(['embedding', 'indexing']);
});

test('yields its slot between parts and resumes', async () => {
  const { parts } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown(longText(150, 'grove-shared')));
  const before = platform.embedded().length;
  let left: unknown = null;
  let attempts = 0;
  for (let isReady = false; !isReady; attempts += 1) {
    const one = attempt({ parts, owner, ...made, left, isWanted: true });
    isReady = await one.run().then(
      () => true,
      (error) => {
        expect(error.message).toBe('yielded its slot');
        return false;
      },
    );
    left = one.left();
    expect(attempts).toBeLessThan(20);
  }
  expect(attempts).toBeGreaterThan(2);
  const { chunk_count } = await platform.entry(owner, made.id);
  const texts = platform.embedded().slice(before);
  expect(texts).toHaveLength(chunk_count ?? 0);
  expect(new Set(texts).size).toBe(texts.length);
});

test('yields its slot within a part of the embedded encoder, and computes no text twice', async () => {
  const { parts, entryStore } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown(longText(150, 'grove-embedded')));
  await expect(attempt({ parts, owner, ...made, dieAt: { stage: 'embedding' } }).run()).rejects.toThrow('died');
  const files = new RevisionFiles(entryStore, made.id, 1);
  const document = await files.document();
  const pieceCount = document?.piece_count ?? 0;
  const model = 'embedded/test';
  const computed: string[] = [];
  const embed = async (texts: string[]) => {
    computed.push(...texts);
    const vectors = texts.map((text) => Float32Array.of(text.length, computed.indexOf(text)));
    return { vectors, dimensions: 2, usage: { input_tokens: 1, output_tokens: 0, total_tokens: 1, cost_usd: 0 } };
  };
  const { signal } = new AbortController();
  let asked = 0;
  let stops = 0;
  const pause = {
    isWanted: async () => {
      asked += 1;
      return asked % 7 === 0;
    },
    stop: (): never => {
      stops += 1;
      throw new Error('yielded its slot');
    },
  };
  const task = { files, model, pieceCount, embed, signal, pause };
  for (let dimensions: number | null = null; dimensions === null; )
    dimensions = await embedRevision(task).catch(() => null);
  expect(stops).toBeGreaterThan(2);
  expect(computed).toHaveLength(pieceCount);
  // Vectors still match their texts.
  const kept: Float32Array[] = [];
  for (const start of [...(await files.vectorParts(model)).starts].sort((one, other) => one - other))
    kept.push(...(await files.vectors(model, 2, start)));
  expect(kept.map(([, index]) => index)).toEqual(Array.from({ length: pieceCount }, (_, index) => index));
  expect((await platform.files(made.id)).filter((name) => name.includes('partial'))).toEqual([]);
});

test('succeeds again when the response of its final step was lost', async () => {
  const { parts } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown('A single word: heliotrope.'));
  const first = attempt({ parts, owner, ...made });
  await first.run();
  const asked = platform.fake.requests.length;
  const second = attempt({ parts, owner, ...made, left: first.left() });
  expect((await second.run()).usage).toEqual((await first.run()).usage);
  expect(platform.fake.requests).toHaveLength(asked);
});

test('replaces the old revision when the new one is ready, and deletes its files', async () => {
  const { parts } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown('Tulips come from Turkey.'));
  await attempt({ parts, owner, ...made }).run();
  const old = await platform.files(made.id);
  const revised = await platform.revise(
    await platform.entry(owner, made.id),
    'Potatoes come from Peru.\n\nThey are tubers.',
  );
  const dying = attempt({ parts, owner, ...revised, dieAt: { stage: 'indexing' } });
  await expect(dying.run()).rejects.toThrow('died');
  expect((await platform.indexed(owner, made.id)).map(({ text }) => text)).toEqual(['Tulips come from Turkey.']);
  expect(await platform.entry(owner, made.id)).toMatchObject({
    searchable_revision: 1,
    revision: 2,
    status: 'processing',
  });
  await attempt({ parts, owner, ...revised, left: dying.left() }).run();
  const texts = (await platform.indexed(owner, made.id)).map(({ text, revision }) => `${revision}: ${text}`);
  expect(texts).toEqual(['2: Potatoes come from Peru.\n\nThey are tubers.']);
  const files = await platform.files(made.id);
  expect(files.filter((name) => old.includes(name))).toEqual([]);
  expect(files.some((name) => name.startsWith('2/'))).toBe(true);
});

test('restores a newer revision that became searchable while an attempt hung', async () => {
  const { parts } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown('The old words.'));
  // Hangs in its commit after all checks, while everything else happens.
  let wake = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let fellAsleep = () => {};
  const sleeping = new Promise<void>((resolve) => {
    fellAsleep = resolve;
  });
  const search: typeof parts.search = {
    chunks: async (space) => {
      const table = await parts.search.chunks(space);
      return {
        ...table,
        replace: async (scope, id, rows) => {
          const read = await Array.fromAsync(rows);
          fellAsleep();
          await asleep;
          await table.replace(scope, id, read);
        },
      };
    },
  };
  const paused = attempt({ parts: { ...parts, search }, owner, ...made }).run();
  await sleeping;
  const revised = await platform.revise(await platform.entry(owner, made.id), 'The new words.');
  await attempt({ parts, owner, ...revised }).run();
  wake();
  await expect(paused).rejects.toMatchObject({ code: 'cancelled' });
  expect((await platform.indexed(owner, made.id)).map(({ text }) => text)).toEqual(['The new words.']);
  expect(await platform.entry(owner, made.id)).toMatchObject({ status: 'ready', searchable_revision: 2 });
});

test('leaves nothing in the index when its entry is deleted at the last moment', async () => {
  const { parts, database } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown('Nobody is to read this.'));
  const search: typeof parts.search = {
    chunks: async (space) => {
      const table = await parts.search.chunks(space);
      const replace: typeof table.replace = async (...args) => {
        await database.knowledge.hide(owner, made.id);
        await table.replace(...args);
      };
      return { ...table, replace };
    },
  };
  await expect(attempt({ parts: { ...parts, search }, owner, ...made }).run()).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(await platform.indexed(owner, made.id)).toEqual([]);
});

test('indexes tags that change during ingestion', async () => {
  const { parts, database } = platform;
  const owner = freshOwner();
  const made = await platform.create(owner, markdown('A tagged text.'), { tags: ['before'] });
  const search: typeof parts.search = {
    chunks: async (space) => {
      const table = await parts.search.chunks(space);
      const replace: typeof table.replace = async (...args) => {
        await database.knowledge.patch(owner, made.id, { tags: ['after'], title: 'Renamed' });
        await table.replace(...args);
      };
      return { ...table, replace };
    },
  };
  await attempt({ parts: { ...parts, search }, owner, ...made }).run();
  const rows = await platform.indexed(owner, made.id);
  expect(rows.map(({ tags, title }) => ({ tags, title }))).toEqual([{ tags: ['after'], title: 'Renamed' }]);
});

test('fills two indexes during a move, and indexes only words without the provider', async () => {
  const own = await startIngestion();
  try {
    const { parts, database } = own;
    const owner = freshOwner();
    const gone = spaceOf('mistral/switched-off', 7);
    await database.knowledgeSpaces.setFirst(gone);
    const next = spaceOf('compatible/other-embedding', (await dimensionsOf(own)).length);
    await database.knowledgeSpaces.prepare(next);
    const made = await own.create(owner, markdown('Both of them know this.'));
    await attempt({ parts, owner, ...made }).run();
    expect((await own.entry(owner, made.id)).spaces).toEqual([gone.name, next.name]);
    for (const space of [gone, next]) expect(await own.indexed(owner, made.id, space)).toHaveLength(1);
  } finally {
    await own.stop();
  }
});

async function dimensionsOf({ parts }: TestIngestion) {
  const call = { model: 'compatible/other-embedding', texts: ['x'], purpose: 'document' } as const;
  const { vectors } = await parts.providers.embedTexts(call, {
    signal: new AbortController().signal,
    executionId: 'x',
  });
  return vectors[0] as Float32Array;
}

test('stores pages, title, and warnings of a file, and reports unreadable files', async () => {
  const { parts, assets } = platform;
  const owner = freshOwner();
  const page = (words: string) => ({ marks: [{ text: words, x: 60, y: 60, size: 12 }] });
  const body = writePdf([
    page('The first page tells of oaks and of elms.'),
    page('The second one tells of nothing at all.'),
  ]);
  const asset = await assets.create({ owner, body, filename: 'Old trees.pdf' });
  const file = { asset_id: asset.id, filename: asset.filename, mime_type: asset.mime_type } as const;
  const facts = { size_bytes: asset.size_bytes, sha256: asset.sha256, kept: false };
  const made = await platform.create(owner, { type: 'file', ...file, ...facts });
  await attempt({ parts, owner, ...made }).run();
  expect(await platform.entry(owner, made.id)).toMatchObject({ title: 'Old trees', page_count: 2, status: 'ready' });
  expect((await platform.indexed(owner, made.id)).map(({ page }) => page)[0]).toBe(1);

  const lost = await platform.create(owner, { type: 'file', ...file, ...facts });
  await assets.remove(owner, asset.id);
  await expect(attempt({ parts, owner, ...lost }).run()).rejects.toMatchObject({ code: 'not_found' });
  const empty = await platform.create(owner, markdown(' \n '));
  await expect(attempt({ parts, owner, ...empty }).run()).rejects.toMatchObject({ code: 'invalid_request' });
});
