import type { Execution } from '@chorus/client';
import { expect, test } from 'vitest';
import { metadataOf, runsOf } from './runs.ts';

const record = (id: string, more: Partial<Execution> = {}) => ({ id, metadata: {}, ...more }) as Execution;

test('shows runs by what they are about, without dismissed ones', () => {
  const metadata = metadataOf({ title: `A sea ${'x'.repeat(600)}`, assetId: 'ast_a' });
  expect(metadata.title?.length).toBe(512);
  const records = [record('a', { metadata }), record('d'), record('e')];
  const runs = runsOf(records, { dismissed: ['d'], label: 'Image' });
  expect(runs.map(({ id, title, assetId }) => [id, title, assetId])).toEqual([
    ['a', metadata.title, 'ast_a'],
    ['e', 'Image', undefined],
  ]);
});
