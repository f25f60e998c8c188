import { expect, test } from 'vitest';
import { Turns } from './index.ts';

const entries = (user: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ user, name: `${user}${at + 1}` }));
type Entry = ReturnType<typeof entries>[number];

function waiting(...all: Entry[]): Turns<Entry> {
  const turns = new Turns<Entry>();
  for (const entry of all) turns.add(entry);
  return turns;
}

const namesOf = (all: readonly Entry[]) => all.map(({ name }) => name).join(' ');

function serveAll(turns: Turns<Entry>): string {
  const served: Entry[] = [];
  for (let [next] = turns.next(1); next !== undefined; [next] = turns.next(1)) {
    turns.serve(next);
    served.push(next);
  }
  return namesOf(served);
}

test('users take turns, even if one of them has many entries', () => {
  const turns = waiting(...entries('a', 5), ...entries('b', 2), ...entries('c', 1));
  expect(namesOf(turns.next(5))).toBe('a1 b1 c1 a2 b2');
  expect(serveAll(turns)).toBe('a1 b1 c1 a2 b2 a3 a4 a5');
});

test('a latecomer is served next, and a user who was just served waits', () => {
  const turns = waiting(...entries('a', 3));
  turns.serve(turns.next(1)[0] as Entry);
  for (const entry of entries('b', 2)) turns.add(entry);
  expect(serveAll(turns)).toBe('b1 a2 b2 a3');
});

test('returned entries are first again, and removed ones are never served', () => {
  const [first, second] = entries('a', 2) as [Entry, Entry];
  const turns = waiting(first, second, ...entries('b', 1));
  turns.serve(first);
  turns.putBack(first);
  expect(turns.remove(second)).toBe(true);
  expect(turns.remove(second)).toBe(false);
  expect(serveAll(turns)).toBe('a1 b1');
});
