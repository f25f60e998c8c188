import { expect, test } from 'vitest';
import { findMissingTargets, findUnknownNames } from './documents.ts';

test('finds links, headings, and paths that do not exist', () => {
  const text = '[a](absent.md) [b](package.json) [c](README.md#absent) `scripts/absent.ts` [d](https://example.org)';
  expect(findMissingTargets('CONTRIBUTING.md', text)).toEqual([
    'CONTRIBUTING.md: absent.md does not exist',
    'CONTRIBUTING.md: README.md#absent has no such heading',
    'CONTRIBUTING.md: scripts/absent.ts does not exist',
  ]);
});

test('resolves targets from the folder of the document', () => {
  expect(findMissingTargets('docs/design/a.md', '[up](../../README.md#quick-start) `packages/<name>`')).toEqual([]);
  expect(findMissingTargets('packages/queue/README.md', '`src/absent.ts` `src/index.ts`')).toHaveLength(1);
});

test('finds identifiers that are not in the code', () => {
  const text = '`startPool(…)`, `startPond`, `MAX_PONDS`, `pond`';
  expect(findUnknownNames('a.md', text, new Set(['startPool']))).toEqual([
    'a.md: startPond is not in the code',
    'a.md: MAX_PONDS is not in the code',
  ]);
});
