import { beforeEach, expect, test, vi } from 'vitest';

const kept = new Map<string, string>();

/** As a page begins: it knows what its tab has kept, and nothing else. */
async function loadPage() {
  vi.resetModules();
  return (await import('./drafts.ts')).drafts;
}

beforeEach(() => {
  kept.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});

test('what was written stays over a reload, each in its place', async () => {
  const before = await loadPage();
  before.write('a', 'one');
  before.write('b', 'two');
  const after = await loadPage();
  expect([after.read('a'), after.read('b'), after.read('c')]).toEqual(['one', 'two', '']);
});

test('what could not be sent is put back before what was written meanwhile', async () => {
  const drafts = await loadPage();
  drafts.write('a', 'first');
  const sending = drafts.send('a', () => Promise.reject(new Error('no network')));
  expect([drafts.read('a'), drafts.isSending('a')]).toEqual(['', true]);
  drafts.write('a', 'second');
  await sending;
  expect([drafts.read('a'), drafts.isSending('a')]).toEqual(['first\n\nsecond', false]);
});

test('a reload in the midst of a send has what was on its way; what has arrived is gone', async () => {
  const drafts = await loadPage();
  drafts.write('a', 'first');
  const { promise, resolve } = Promise.withResolvers<void>();
  const sending = drafts.send('a', () => promise);
  drafts.write('a', 'second');
  expect((await loadPage()).read('a')).toBe('first\n\nsecond');
  resolve();
  await sending;
  expect((await loadPage()).read('a')).toBe('second');
});
