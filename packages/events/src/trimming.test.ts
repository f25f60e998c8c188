import { type LogEvent, newId } from '@chorus/contract';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANY_ATTEMPT } from './event-log.ts';
import { logKeys } from './keys.ts';
import type { StoredEvent } from './read-log.ts';
import { inOrder, isEnd, openEvents, readUntil, seeded, type TestEvents, textOf, writeEvents } from './test-events.ts';

const MAX_LENGTH = 100;
/** Same as in `append-script.ts`. */
const OVERLAP = 64;

let server: TestRedis;
let events: TestEvents;

beforeAll(async () => {
  server = await startRedis();
  events = openEvents(server, { maxLength: MAX_LENGTH, keepMs: 60_000 });
});
afterAll(async () => {
  events.close();
  await server.stop();
});

const delta = (text: string, index = 0): LogEvent => ({ type: 'text.delta', index, delta: text });
const reset: LogEvent = { type: 'text.reset', reason: 'worker_lost' };
const succeeded: LogEvent = { type: 'execution.succeeded' };

async function appendEach(id: string, all: LogEvent[]): Promise<void> {
  for (const event of all) expect(await events.log.append(id, 1, -1, [event])).toMatchObject({ status: 'appended' });
}

async function replay(id: string, after = 0): Promise<StoredEvent[]> {
  const reader = await events.hub.open(id, after);
  const read = await readUntil(reader);
  reader.close();
  return read;
}

async function foldedUpTo(id: string): Promise<number> {
  return Number((await events.redis.hget(logKeys(id).folded, 'seq')) ?? 0);
}

const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i} `);

test('folds a log only once it exceeds its limit by an eighth', async () => {
  const id = newId('job');
  await appendEach(
    id,
    words(112).map((word) => delta(word)),
  );
  expect(await foldedUpTo(id)).toBe(0);
  await appendEach(id, [delta('one more')]);
  expect(await foldedUpTo(id)).toBe(114 - MAX_LENGTH);
  await appendEach(
    id,
    words(12).map((word) => delta(word)),
  );
  expect(await foldedUpTo(id)).toBe(114 - MAX_LENGTH);
  await appendEach(id, [delta('one more')]);
  expect(await foldedUpTo(id)).toBe(127 - MAX_LENGTH);
});

test('a long log keeps its length and an overlap, and replays as a reset and the text so far', async () => {
  const id = newId('job');
  const all = words(1_000);
  await appendEach(id, [{ type: 'execution.started', attempt: 1 }, ...all.map((word) => delta(word)), succeeded]);
  expect(await events.redis.xlen(logKeys(id).log)).toBeLessThanOrEqual(MAX_LENGTH + OVERLAP + MAX_LENGTH / 8);

  const read = await replay(id);
  const to = await foldedUpTo(id);
  expect(read[0]?.event).toEqual({ type: 'text.reset', reason: 'log_trimmed' });
  expect(read[1]).toEqual({ seq: to, event: delta(all.slice(0, to - 2).join('')) });
  expect(inOrder(read)).toBe(true);
  expect(textOf(read)).toBe(all.join(''));
  expect(read.filter(isEnd)).toHaveLength(1);
});

test('a returning reader gets the rest: plain events within the overlap, otherwise the whole text again', async () => {
  const id = newId('job');
  const all = words(500);
  await appendEach(id, [...all.map((word) => delta(word)), succeeded]);
  const to = await foldedUpTo(id);
  expect(to).toBeGreaterThan(300);
  const known = (after: number): StoredEvent[] =>
    all.slice(0, Math.max(0, after - 1)).map((word, i) => ({ seq: i + 2, event: delta(word) }));
  for (let after = 0; after <= 501; after += 1) {
    const rest = await replay(id, after);
    expect(rest.every(({ seq }) => seq > after)).toBe(true);
    expect(inOrder(rest)).toBe(true);
    expect(rest.some(({ event }) => event.type === 'text.reset')).toBe(after < to - OVERLAP);
    expect(textOf([...known(after), ...rest])).toBe(all.join(''));
  }
});

test('a reader that received part of a fold gets all of it when it returns', async () => {
  const id = newId('job');
  const all = words(400);
  await appendEach(id, [...all.map((word) => delta(word)), delta('other', 1), succeeded]);
  const whole = await replay(id);
  for (let cut = 1; cut < whole.length; cut += 1) {
    const got = whole.slice(0, cut);
    // A client returns with the last number that it may keep.
    const last = got.filter(({ partial }) => !partial).at(-1)?.seq ?? 0;
    const rest = await replay(id, last);
    expect(textOf([...got, ...rest])).toBe(all.join(''));
  }
});

test('an open reader loses nothing while the log is folded', async () => {
  const { writer, executionId } = writeEvents(events.log);
  const slow = await events.hub.open(executionId, 0, { fresh: true });
  const fast = await events.hub.open(executionId, 0, { fresh: true });
  const seen: StoredEvent[] = [];
  const reading = readUntil(fast);
  const random = seeded(7);
  let expected = '';
  for (let i = 0; i < 3_000; i += 1) {
    const word = `${i}${'.'.repeat(Math.floor(random() * 60))} `;
    expected += word;
    writer.emit({ type: 'text.delta', index: 0, delta: word });
    await writer.flush();
    if (random() < 0.002) seen.push(...(await slow.next()));
  }
  await writer.end({ type: 'execution.succeeded' });
  expect(textOf(await reading)).toBe(expected);
  seen.push(...(await readUntil(slow)));
  expect(inOrder(seen)).toBe(true);
  expect(textOf(seen)).toBe(expected);
  expect(seen.some(({ event }) => event.type === 'text.reset')).toBe(true);
  for (const reader of [slow, fast]) reader.close();
});

test('the fold omits output that was reset, and has the last state of each item', async () => {
  const id = newId('job');
  const item = (index: number, text: string): LogEvent => ({
    type: 'output.item',
    index,
    item: { type: 'text', text },
  });
  const filler = words(60).map((word) => delta(word));
  await appendEach(id, [
    delta('taken back '),
    delta('this too', 1),
    item(2, 'first'),
    ...filler,
    reset,
    item(2, 'last'),
    item(3, 'only'),
    ...words(400).map((word) => delta(word)),
    succeeded,
  ]);
  const read = await replay(id);
  expect(textOf(read)).toBe(words(400).join(''));
  expect(read.filter(({ event }) => event.type === 'text.delta' && event.index === 1)).toEqual([]);
  expect(read.map(({ event }) => event).filter(({ type }) => type === 'output.item')).toEqual([
    item(2, 'last'),
    item(3, 'only'),
  ]);
});

test('a reset removes citations with the text, folded or not', async () => {
  const id = newId('job');
  const cited = (marker: number, quote: string): LogEvent => ({
    type: 'output.item',
    index: marker,
    item: {
      type: 'citation',
      marker,
      entry_id: 'kno_1',
      chunk_id: 'kno_1:1:0',
      title: 'Tea',
      heading_path: [],
      page: null,
      quote,
      score: 1,
    },
  });
  const cites = (events: StoredEvent[]) =>
    events.map(({ event }) => event).filter(({ type }) => type === 'output.item');
  const many = words(400).map((word) => delta(word));
  // The first is folded before the reset is, the second with it.
  await appendEach(id, [
    cited(1, 'old'),
    cited(3, 'old'),
    ...many,
    cited(2, 'old'),
    reset,
    cited(1, 'new'),
    ...many,
    succeeded,
  ]);
  expect(await foldedUpTo(id)).toBeGreaterThan(404);
  expect(cites(await replay(id))).toEqual([cited(1, 'new')]);
  expect(await events.log.shown(id)).toMatchObject([{ type: 'text' }, { quote: 'new' }]);
});

test('the text is complete when one append exceeds the limit of the log', async () => {
  const id = newId('job');
  const all = words(700);
  await events.log.append(
    id,
    1,
    1,
    all.map((word) => delta(word)),
  );
  await events.log.append(id, 1, 701, [succeeded]);
  expect(textOf(await replay(id))).toBe(all.join(''));
  expect(await foldedUpTo(id)).toBeGreaterThan(0);
});

describe.each([
  ['quotes and backslashes', '"\\" {"delta":"x"} \\u0041 \\\\'],
  ['control characters', '\u0000\u0001\t\r\n\u2028\u2029'],
  ['other scripts', 'äß 你好 שלום 👩‍👩‍👧‍👦 é'],
  ['the second half of a surrogate pair', '\ude00'],
  ['the first half of a surrogate pair', '\ud83d'],
])('%s', (_name, text) => {
  test('survives the fold', async () => {
    const id = newId('job');
    await appendEach(id, [...words(300).map(() => delta(text)), succeeded]);
    expect(await foldedUpTo(id)).toBeGreaterThan(0);
    expect(textOf(await replay(id))).toBe(text.repeat(300));
  });
});

test('a character that arrived in two halves is whole after the fold', async () => {
  const id = newId('job');
  await appendEach(id, [...words(300).map((_, i) => delta(i % 2 === 0 ? '\ud83d' : '\ude00')), succeeded]);
  expect(textOf(await replay(id))).toBe('😀'.repeat(150));
});

test('a replay during a run ends up live', async () => {
  const id = newId('job');
  await appendEach(
    id,
    words(300).map((word) => delta(word)),
  );
  const reader = await events.hub.open(id, 0);
  const read = await readUntil(reader, (seen) => seen.at(-1)?.seq === 301);
  await appendEach(id, [delta('live'), succeeded]);
  read.push(...(await readUntil(reader)));
  reader.close();
  expect(textOf(read)).toBe(`${words(300).join('')}live`);
});

test('a writer that continues after a trimmed log lost writes does not send its readers back', async () => {
  const id = newId('job');
  await appendEach(
    id,
    words(300).map((word) => delta(word)),
  );
  // Redis lost events 302 to 350, which a reader has seen; the writer continues after them.
  await events.log.append(id, 1, 350, [{ type: 'text.reset', reason: 'log_lost' }, delta('the whole text')]);
  await events.log.append(id, 1, 352, [succeeded]);
  expect((await replay(id, 350)).map(({ seq }) => seq)).toEqual([351, 352, 353]);
  expect((await replay(id, 320)).map(({ seq }) => seq)).toEqual([351, 352, 353]);
  for (const after of [0, 150, 300, 301, 350]) {
    const read = await replay(id, after);
    expect(inOrder(read)).toBe(true);
    expect(read.every(({ seq }) => seq > after)).toBe(true);
    expect(textOf(read)).toBe('the whole text');
  }
});

test('the fold expires with its log', async () => {
  const id = newId('job');
  await appendEach(
    id,
    words(200).map((word) => delta(word)),
  );
  const { folded } = logKeys(id);
  expect(await events.redis.pttl(folded)).toBeGreaterThan(80_000_000);
  await events.log.append(id, ANY_ATTEMPT, -1, [succeeded]);
  const left = await events.redis.pttl(folded);
  expect(left).toBeGreaterThan(50_000);
  expect(left).toBeLessThanOrEqual(60_000);
});
