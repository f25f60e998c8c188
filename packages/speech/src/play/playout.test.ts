import { expect, test } from 'vitest';
import { ClauseCutter } from '../text/clause-cutter.ts';
import { PlayoutClock } from './playout-clock.ts';
import { PlayoutMap } from './playout-map.ts';

const ANSWER = 'Hello **there**, my friend. `Second` sentence, which is longer. 你好，世界。 Last';

/** Gives each clause a second of sound. */
function spoken(answer = ANSWER, ms = 1_000) {
  const cutter = new ClauseCutter();
  const map = new PlayoutMap();
  for (const clause of [...cutter.take(answer), ...cutter.rest()]) {
    map.begin(clause);
    map.add(ms / 2);
    map.add(ms / 2);
  }
  map.end();
  return map;
}
const heardOf = (playedMs: number, map = spoken()) => ANSWER.slice(0, map.heard(playedMs).end);

test.each([
  [0, ''],
  [10, ''],
  [500, 'Hello **there'],
  [1_000, 'Hello **there**, my friend. '],
  [1_300, 'Hello **there**, my friend. `Second'],
  [2_500, 'Hello **there**, my friend. `Second` sentence, which is longer. 你好'],
  [3_999, 'Hello **there**, my friend. `Second` sentence, which is longer. 你好，世界。 '],
  [4_000, ANSWER],
  [9_000, ANSWER],
])('ends at the last complete word after %i ms', (playedMs, wanted) => {
  expect(heardOf(playedMs)).toBe(wanted);
});

test('grows monotonically and by whole words', () => {
  const map = spoken();
  let before = 0;
  for (let ms = 0; ms <= map.durationMs; ms += 7) {
    const { end, complete } = map.heard(ms);
    expect(end).toBeGreaterThanOrEqual(before);
    expect(complete).toBe(ms >= 4_000);
    expect(/[\p{L}\p{N}]$/u.test(ANSWER.slice(0, end)) && /^[a-z]/iu.test(ANSWER.slice(end))).toBe(false);
    before = end;
  }
  expect(map.heard(1_500).spoken).toMatch(/^Hello there, my friend\. Second sentence/);
});

test('estimates an unfinished clause by the speed so far', () => {
  const map = new PlayoutMap();
  const cutter = new ClauseCutter();
  const [one, two] = [...cutter.take('One two three four five six. One two three four five six.'), ...cutter.rest()];
  map.begin(one!);
  map.add(2_000);
  map.begin(two!);
  map.add(500);
  // A quarter of it, at the speed of the first clause.
  expect(map.heard(2_500).spoken).toBe('One two three four five six. One two');
  map.add(1_500);
  expect(map.heard(3_999).spoken).toBe('One two three four five six. One two three four five six');
  expect(map.heard(3_999).complete).toBe(false);
});

test('plays only sent audio, and waits for late audio', () => {
  const clock = new PlayoutClock(50);
  clock.sent(200, 1_000);
  expect([clock.played(1_040), clock.played(1_100), clock.ahead(1_100)]).toEqual([0, 50, 150]);
  clock.sent(200, 1_150);
  expect(clock.played(1_300)).toBe(250);
  expect(clock.played(5_000)).toBe(400);
  clock.sent(100, 6_000);
  expect([clock.played(6_050), clock.played(6_100), clock.played(7_000)]).toEqual([400, 450, 500]);
  clock.sent(1_000, 7_000);
  clock.pause(7_150);
  expect(clock.played(7_800)).toBe(600);
  clock.resume(8_000);
  expect([clock.played(8_100), clock.sentMs]).toEqual([700, 1_500]);
});

test('allots a number the time of its words', () => {
  const answer = 'The total is $1,234,567 in all.';
  const map = spoken(answer);
  expect(answer.slice(0, map.heard(750).end)).toBe('The total is');
  expect(answer.slice(0, map.heard(850).end)).toBe('The total is $1,234,567');
});
