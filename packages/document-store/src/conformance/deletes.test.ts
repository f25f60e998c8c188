import type { Document } from 'mongodb';
import { describe } from 'vitest';
import { shareWritesFixture, three } from './test-writes.ts';

const { table, command } = shareWritesFixture();

describe('deletes', () => {
  table([
    [
      'the first match',
      three,
      (c) => c.deleteOne({ x: { $gt: 11 } }),
      { deletedCount: 1 },
      [three[0], three[2]] as Document[],
    ],
    ['all matches', three, (c) => c.deleteMany({ x: { $gt: 11 } }), { deletedCount: 2 }, [three[0]] as Document[]],
    ['none', three, (c) => c.deleteMany({ x: 1 }), { deletedCount: 0 }],
    [
      'by a hint',
      three,
      async (c) => {
        await c.createIndex({ x: 1 });
        return c.deleteOne({ x: 22 }, { hint: { x: 1 } });
      },
      { deletedCount: 1 },
      [three[0], three[2]] as Document[],
    ],
    ['by an unknown hint', three, (c) => c.deleteOne({ _id: 1 }, { hint: 'no_1' }), 2],
    ['with a comment', three, (c) => c.deleteOne({ _id: 9 }, { comment: 'why' }), { deletedCount: 0 }],
    ['with a collation', three, (c) => c.deleteMany({}, { collation: { locale: 'de' } }), 238],
    [
      'with a limit of two',
      three,
      (c) => command(c, 'delete', { deletes: [{ q: {}, limit: 2 }] }),
      {
        writeErrors: [{ index: 0, code: 9 }],
      },
    ],
    [
      'without a limit',
      three,
      (c) => command(c, 'delete', { deletes: [{ q: {} }] }),
      { writeErrors: [{ code: 40414 }] },
    ],
  ]);
});
