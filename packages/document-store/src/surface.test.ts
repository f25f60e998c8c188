import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { shareTestStore } from './test-store.ts';

const README = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
const shared = shareTestStore();

/** Returns the names in a row of the README's tables. */
function namesIn(row: string, pattern = /\$[a-zA-Z0-9]+/g): string[] {
  const [, text = ''] = new RegExp(`^\\| ${row} \\| (.*) \\|$`, 'm').exec(README) ?? [];
  return [...text.matchAll(pattern)].map(([name]) => name);
}

/** Returns a failed command's error code; undefined if it succeeds. */
function codeOf(work: Promise<unknown>): Promise<number | undefined> {
  return work.then(
    () => undefined,
    (error) => error.code,
  );
}

const aggregate = (...pipeline: object[]) =>
  codeOf(shared.client.db('surface').collection('things').aggregate(pipeline).toArray());

describe('the surface matches the README', () => {
  test.each(namesIn('stages'))('stage %s', async (stage) => {
    expect(await aggregate({ [stage]: null })).not.toBe(40324);
  });

  test.each(namesIn('40324').filter((name) => name !== '$merge' && name !== '$out'))('no stage %s', async (stage) => {
    expect(await aggregate({ [stage]: null })).toBe(40324);
  });

  test.each(namesIn('accumulators'))('accumulator %s', async (name) => {
    expect(await aggregate({ $group: { _id: null, a: { [name]: '$a' } } })).not.toBe(15952);
  });

  const rows = ['comparison, conditions', 'arithmetic', 'strings', 'arrays, sets', 'documents', 'dates', 'types'];
  test.each(rows.flatMap((row) => namesIn(row)))('expression %s', async (name) => {
    expect(await aggregate({ $project: { a: { [name]: [] } } })).not.toBe(168);
  });

  const refused = namesIn('40573, 168').filter((name) => name !== '$changeStream');
  test.each(refused)('no expression %s', async (name) => {
    expect(await aggregate({ $set: { a: { [name]: [] } } })).toBe(168);
  });

  test.each(namesIn('115'))('no query operator %s', async (name) => {
    const find = (filter: object) => codeOf(shared.client.db('surface').collection('things').find(filter).toArray());
    expect(await find({ a: { [name]: 1 } })).toBeTypeOf('number');
  });

  test.each(['renameCollection', 'collMod', 'dbStats', 'mapReduce', 'convertToCapped'])(
    'no command %s',
    async (name) => {
      expect(await codeOf(shared.client.db('surface').command({ [name]: 'things' }))).toBe(59);
    },
  );
});
