import { expect, test, vi } from 'vitest';
import { LongDocuments } from './long-documents.ts';

const never = new AbortController().signal;
const place = { isWanted: async () => false, giveBack: () => Promise.reject(new Error('given back')) as never };

/** Asks for slots and records who gets one. */
function startWork(slots: number) {
  const documents = new LongDocuments(slots);
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, signal = never) =>
    documents.begin(name[0] as string, signal).then((end) => {
      began.push(name);
      ends.set(name, end);
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { documents, began, add, end, settle };
}

test('leaves a slot free for other users, who take turns', async () => {
  const { began, add, end, settle } = startWork(3);
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name);
  await settle();
  expect(began).toEqual(['a1', 'a2']);
  for (const name of ['b1', 'b2', 'c1']) void add(name);
  await settle();
  expect(began).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  expect(began).toEqual(['a1', 'a2', 'b1', 'c1']);
  await end('a2');
  expect(began.at(-1)).toBe('a3');
  await end('b1');
  await end('c1');
  expect(began).toContain('b2');
});

test('forgets a user who stops waiting', async () => {
  const { began, add, end, settle } = startWork(1);
  void add('a1');
  const leaving = new AbortController();
  const left = add('b1', leaving.signal);
  void add('c1');
  await settle();
  leaving.abort(new Error('cancelled'));
  await expect(left).rejects.toThrow('cancelled');
  await end('a1');
  expect(began).toEqual(['a1', 'c1']);
});

test('asks for a slot back after its time slice if another user waits', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { documents, add, settle } = startWork(1);
    void add('a1');
    await settle();
    const held = documents.placeOf('a', place);
    void add('a2');
    vi.advanceTimersByTime(60_000);
    expect(await held.isWanted()).toBe(false);
    void add('b1');
    expect(await held.isWanted()).toBe(true);
    expect(await held.isWanted(40_000)).toBe(false);
    expect(await documents.placeOf('a', place).isWanted()).toBe(false);
    expect(await documents.placeOf('a', { ...place, isWanted: async () => true }).isWanted()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
