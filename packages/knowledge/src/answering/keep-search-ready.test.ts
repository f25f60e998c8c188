import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnowledgeSpaces, StoredSpace } from '@chorus/database';
import { NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { expect, onTestFinished, test } from 'vitest';
import type { PassageParts } from './find-passages.ts';
import { keepSearchReady } from './keep-search-ready.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const spaceOf = (name: string, model: string): StoredSpace => ({ name, model, dimensions: 2 });

test('loads the index and an embedded model once there are documents, and again for another space', async () => {
  const location = await mkdtemp(join(tmpdir(), 'chorus-ready-'));
  const search = openSearch({ location, log });
  onTestFinished(async () => {
    search.close();
    await rm(location, { recursive: true, force: true });
  });
  let current: StoredSpace | null = null;
  let fails = 1;
  let looks = 0;
  const embedded: string[] = [];
  const get = async (): Promise<KnowledgeSpaces> => {
    looks += 1;
    return { wanted: null, current, next: null, former: [] };
  };
  const parts: PassageParts = {
    search,
    database: { knowledgeSpaces: { get } as never, knowledge: {} as never },
    embed: async ({ model }) => {
      embedded.push(model);
      fails -= 1;
      if (fails === 0) throw new Error('away');
      return { vectors: [Float32Array.of(1, 0)], usage: NO_USAGE };
    },
    log,
  };
  const stop = keepSearchReady(parts, 1);
  onTestFinished(stop);
  const lookTwice = () => {
    const before = looks;
    return expect.poll(() => looks, { interval: 1 }).toBeGreaterThan(before + 1);
  };

  await lookTwice();
  expect([embedded, await search.spaces()]).toEqual([[], []]);
  current = spaceOf('first', 'embedded/use-lite');
  await expect.poll(() => embedded).toEqual(['embedded/use-lite', 'embedded/use-lite']); // the first attempt failed
  await lookTwice();
  expect([embedded.length, await search.spaces()]).toEqual([2, ['first']]);
  current = spaceOf('second', 'openai/text-embedding-3-small');
  await expect.poll(() => search.spaces()).toContain('second');
  await lookTwice();
  expect(embedded).toHaveLength(2); // a remote model costs money
});
