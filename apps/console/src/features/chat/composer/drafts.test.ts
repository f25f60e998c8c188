import { beforeEach, expect, test, vi } from 'vitest';

const kept = new Map<string, string>();

/** Loads the module as a new page does: it knows only what sessionStorage holds. */
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

test('keeps drafts per conversation across a reload', async () => {
  const before = await loadPage();
  before.write('a', 'one');
  before.write('b', 'two');
  const after = await loadPage();
  expect([after.read('a'), after.read('b'), after.read('c')]).toEqual(['one', 'two', '']);
});

test('restores a failed message before newer text', async () => {
  const drafts = await loadPage();
  drafts.write('a', 'first');
  const sending = drafts.send('a', () => Promise.reject(new Error('no network')));
  expect([drafts.read('a'), drafts.isSending('a')]).toEqual(['', true]);
  drafts.write('a', 'second');
  await sending;
  expect([drafts.read('a'), drafts.isSending('a')]).toEqual(['first\n\nsecond', false]);
});

test('restores a message that was being sent during a reload, but not one that arrived', async () => {
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
