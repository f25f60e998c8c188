import { type FeedEvent, newId, type Owner, scopeKey } from '@chorus/contract';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { feedKey } from './keys.ts';
import { type FeedEntry, ScopeFeedReader } from './scope-feed-reader.ts';
import { LIMITS, openEvents, type TestEvents } from './test-events.ts';

let server: TestRedis;
let events: TestEvents;

beforeAll(async () => {
  server = await startRedis();
  events = openEvents(server);
});
afterAll(async () => {
  events?.close();
  await server?.stop();
});

const someone = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

const deleted = (asset_id: string): FeedEvent => ({ type: 'asset.deleted', asset_id });

async function follow(owner: Owner, after: string | null = null, { redis, hub } = events) {
  const reader = await ScopeFeedReader.open(redis, hub, { scope: scopeKey(owner), after, keepMs: LIMITS.keepMs });
  onTestFinished(() => reader.close());
  return reader;
}

/** Reads until `count` events have come. Returns their asset ids and the losses. */
async function take(reader: ScopeFeedReader, count: number): Promise<{ names: string[]; ids: string[] }> {
  const entries: FeedEntry[] = [];
  while (entries.length < count) entries.push(...((await reader.next()) ?? []));
  const names = entries.map(({ event }) => (event.type === 'asset.deleted' ? event.asset_id : event.type));
  return { names, ids: entries.map(({ id }) => id) };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

const tellAll = (owner: Owner, ids: string[], { log } = events) => {
  for (const id of ids) log.publishToFeed(owner, deleted(id));
};

test('delivers events once, in order, to all readers of the scope and to no others', async () => {
  const owner = someone();
  const [one, two, other] = await Promise.all([follow(owner), follow(owner), follow(someone())]);
  const before = new Date().toISOString();
  tellAll(owner, numbers(1, 3));
  const [entry] = (await one.next()) ?? [];
  if (entry?.event.type !== 'asset.deleted') throw new Error('received no event');
  expect(entry.event).toEqual({ ...deleted('1'), time: expect.any(String), user_id: owner.user_id });
  expect(entry.event.time >= before).toBe(true);
  expect((await take(two, 3)).names).toEqual(numbers(1, 3));
  tellAll(owner, numbers(4, 5));
  expect((await take(two, 2)).names).toEqual(['4', '5']);
  const idle = other.next();
  other.close();
  expect(await idle).toBeNull();
});

test('a reader continues after any event that it received', async () => {
  const owner = someone();
  const first = await follow(owner);
  tellAll(owner, numbers(1, 5));
  const { ids } = await take(first, 5);
  first.close();
  tellAll(owner, numbers(6, 7));
  for (const [index, id] of ids.entries())
    expect((await take(await follow(owner, id), 6 - index)).names).toEqual(numbers(index + 2, 7));
  const late = await follow(owner);
  tellAll(owner, ['8']);
  expect((await take(late, 1)).names).toEqual(['8']);
});

test('a reader of an empty feed finds later events when it returns', async () => {
  const owner = someone();
  const { cursor } = await follow(owner);
  expect(cursor).toBe('0-0');
  tellAll(owner, numbers(1, 2));
  expect((await take(await follow(owner, cursor), 2)).names).toEqual(['1', '2']);
});

test('a burst takes few steps, and the feed keeps a limited number of events', async () => {
  const owner = someone();
  const calls = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await events.redis.info('commandstats'))?.[1] ?? 0);
  const reader = await follow(owner);
  tellAll(owner, ['0']);
  const { ids } = await take(reader, 1);
  const before = await calls();
  tellAll(owner, numbers(1, 2_500));
  const seen: string[] = [];
  while (seen.at(-1) !== '2500') seen.push(...(await take(reader, 1)).names);
  expect((await calls()) - before).toBeLessThanOrEqual(11);
  expect(await events.redis.xlen(feedKey(scopeKey(owner)))).toBeLessThan(1_200);
  expect(await events.redis.pttl(feedKey(scopeKey(owner)))).toBeGreaterThan(LIMITS.keepMs - 60_000);

  // A reader that returns too late receives the loss, then all kept events.
  const late = await follow(owner, ids[0]);
  const { names } = await take(late, 1_001);
  expect(names[0]).toBe('events.lost');
  const first = Number(names[1]);
  expect(names.slice(1)).toEqual(numbers(first, first + names.length - 2));
});

test('a reader that falls behind the kept events receives a loss', async () => {
  const owner = someone();
  const slow = await follow(owner);
  tellAll(owner, ['1']);
  expect((await take(slow, 1)).names).toEqual(['1']);
  tellAll(owner, numbers(2, 3_000));
  const fast = await follow(owner, '0-0');
  while (!(await take(fast, 1)).names.includes('3000'));
  const { names } = await take(slow, 10);
  expect(names[0]).toBe('events.lost');
  expect(Number(names[1])).toBeGreaterThan(1_000);
});

test.each(['0-1', '99999999999999-0'])('reports a loss for an unknown cursor: %s', async (cursor) => {
  const owner = someone();
  expect((await take(await follow(owner, cursor), 1)).names).toEqual(['events.lost']);
  const seen = await follow(owner);
  tellAll(owner, numbers(1, 2));
  await take(seen, 2);
  const { names, ids } = await take(await follow(owner, cursor), cursor === '0-1' ? 3 : 1);
  expect(names[0]).toBe('events.lost');
  tellAll(owner, ['3']);
  expect((await take(await follow(owner, ids.at(-1)), 1)).names).toEqual(['3']);
});

test('reports a loss after Redis lost the feed, and continues', async () => {
  const owner = someone();
  const reader = await follow(owner);
  tellAll(owner, ['1', '2']);
  await take(reader, 2);
  await events.redis.del(feedKey(scopeKey(owner)));
  tellAll(owner, ['3', '4']);
  expect((await take(reader, 3)).names).toEqual(['events.lost', '3', '4']);
});

test('does not block while Redis is down, buffers a limited number of events, and reports losses', async () => {
  const own = await startRedis();
  onTestFinished(() => own.stop());
  const here = openEvents(own, LIMITS, 'request');
  onTestFinished(() => here.close());
  const owner = someone();
  const reader = await follow(owner, null, here);
  tellAll(owner, ['1'], here);
  await take(reader, 1);
  await own.kill();
  const began = performance.now();
  tellAll(owner, numbers(2, 20_000), here);
  expect(performance.now() - began).toBeLessThan(10_000);
  await own.restart();
  const names: string[] = [];
  while (!names.includes('events.lost')) names.push(...(await take(reader, 1)).names);
  tellAll(owner, ['last'], here);
  while (!names.includes('last')) names.push(...(await take(reader, 1)).names);
  expect(names.length).toBeLessThan(6_000);
});
