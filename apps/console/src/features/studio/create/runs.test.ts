import type { Execution } from '@chorus/client';
import { expect, test } from 'vitest';
import { metadataOf, runsOf } from './runs.ts';

const record = (id: string, more: Partial<Execution> = {}) =>
  ({ id, user_id: 'usr_a', batch_id: null, metadata: {}, ...more }) as Execution;

test('shows the own runs by what they are about, without batches and dismissed ones', () => {
  const metadata = metadataOf({ title: `A sea ${'x'.repeat(600)}`, assetId: 'ast_a' });
  expect(metadata.title?.length).toBe(512);
  const records = [
    record('a', { metadata }),
    record('b', { user_id: 'usr_b' }),
    record('c', { batch_id: 'bat_a' }),
    record('d'),
    record('e'),
  ];
  const runs = runsOf(records, { userId: 'usr_a', dismissed: ['d'], label: 'Image' });
  expect(runs.map(({ id, title, assetId }) => [id, title, assetId])).toEqual([
    ['a', metadata.title, 'ast_a'],
    ['e', 'Image', undefined],
  ]);
});
