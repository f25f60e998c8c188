import { expect, it } from 'vitest';
import { fromStore, isStoreAway } from './store-errors.ts';

it.each(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOENT'])(
  'a connection that breaks by %s is a store that is away',
  async (code) => {
    const broken = Object.assign(new Error(`write ${code}`), { code, syscall: 'write' });
    expect(isStoreAway(broken)).toBe(true);
    await expect(fromStore(Promise.reject(broken))).rejects.toMatchObject({ code: 'store_unavailable', cause: broken });
  },
);

it.each([
  new Error('write EPIPE'),
  Object.assign(new Error('no file'), { code: 'EACCES', syscall: 'open' }),
  new TypeError('x is not a function'),
])('what is wrong with us is not: %s', (error) => {
  expect(isStoreAway(error)).toBe(false);
});
