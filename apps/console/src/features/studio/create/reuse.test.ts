import { expect, test } from 'vitest';
import { createPath, reuseOf } from './reuse.ts';

test('passes the source of an image in the address', () => {
  const path = createPath({ prompt: 'Red & blue', reference: 'ast_1', count: 4 });
  expect(reuseOf(path.slice(path.indexOf('?')))).toEqual({ prompt: 'Red & blue', reference: 'ast_1', count: 4 });
  expect(reuseOf('?count=99')).toEqual({ prompt: '', reference: null, count: 1 });
});
