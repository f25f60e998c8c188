import { ANSWER_ITEMS, type LogEvent, newId, type OutputItem, type TokenLogprob } from '@chorus/contract';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOST_EVENTS_GAP } from './event-log.ts';
import { logKeys } from './keys.ts';
import type { StoredEvent } from './read-log.ts';
import { openEvents, readUntil, seeded, type TestEvents, writeEvents } from './test-events.ts';

const MAX_LENGTH = 64;

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

const KINDS = ['text', 'reasoning', 'refusal', 'tool_call', 'citation', 'asset'] as const;
const PIECES = [
  'tea ',
  '"q"',
  '\\',
  '","delta":"',
  '"}',
  '\n',
  '{"arguments_delta":"',
  '],"',
  '😀',
  '\ud83d',
  '\ude00',
];

const logprob = (token: string): TokenLogprob => ({
  token,
  logprob: -0.5,
  bytes: [1, 2],
  top_logprobs: [{ token: `${token}],"delta":"`, logprob: -2, bytes: null }],
});

/** Generates a random well-formed sequence: each index has one kind until a reset. */
function drawEvents(random: () => number, count: number): LogEvent[] {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  let kinds = new Map<number, (typeof KINDS)[number]>();
  let calls = new Map<number, { call: number; id: string; name: string }>();
  const draw = (): LogEvent => {
    if (random() < 0.01) {
      kinds = new Map([...kinds].filter(([, kind]) => kind === 'asset'));
      calls = new Map();
      return { type: 'text.reset', reason: 'provider_failed' };
    }
    if (random() < 0.03) return { type: 'progress', progress: { completed: 1, total: 2, stage: pick(PIECES) } };
    const index = Math.floor(random() * 7);
    const kind = kinds.get(index) ?? pick(KINDS);
    kinds.set(index, kind);
    const delta = pick(PIECES);
    switch (kind) {
      case 'text':
        return { type: 'text.delta', index, delta, ...(random() < 0.3 && { logprobs: [logprob(delta)] }) };
      case 'reasoning':
      case 'refusal':
        return { type: `${kind}.delta`, index, delta };
      case 'tool_call': {
        const known = calls.get(index);
        const made = known ?? { call: calls.size, id: `call_${pick(PIECES)}${random()}`, name: pick(PIECES) };
        calls.set(index, made);
        const first = known ? {} : { first: true as const };
        return { type: 'tool_call.delta', index, ...made, ...first, arguments_delta: known ? delta : '' };
      }
      default:
        return { type: 'output.item', index, item: itemOf(kind, `${random()}`) };
    }
  };
  return Array.from({ length: count }, draw);
}

function itemOf(kind: 'citation' | 'asset', id: string): OutputItem {
  if (kind === 'citation') {
    const place = { chunk_id: id, heading_path: [], page: null };
    return { type: 'citation', marker: 1, entry_id: 'kno_1', title: 'Tea', quote: id, score: 1, ...place };
  }
  const size = { size_bytes: 1, sha256: '', width: null, height: null, duration_ms: null };
  return { type: 'asset', asset: { id, kind: 'image', mime_type: 'image/png', filename: null, ...size } } as never;
}

/** Replays events one by one, as a client would. */
function replay(all: LogEvent[]): OutputItem[] {
  const shown: (OutputItem | undefined)[] = [];
  for (const event of all) {
    if (event.type === 'text.reset') {
      shown.forEach((item, index) => {
        if (item && ANSWER_ITEMS.includes(item.type)) shown[index] = undefined;
      });
    } else if (event.type === 'output.item') shown[event.index] = event.item;
    else if (event.type === 'text.delta') {
      const before = shown[event.index];
      const known = before?.type === 'text' ? before : { text: '', logprobs: [] };
      const logprobs = [...(known.logprobs ?? []), ...(event.logprobs ?? [])];
      const text = known.text + event.delta;
      shown[event.index] = { type: 'text', text, ...(logprobs.length > 0 && { logprobs }) };
    } else if (event.type === 'reasoning.delta') {
      const before = shown[event.index];
      shown[event.index] = {
        type: 'reasoning',
        text: (before?.type === 'reasoning' ? before.text : '') + event.delta,
      };
    } else if (event.type === 'refusal.delta') {
      const before = shown[event.index];
      shown[event.index] = {
        type: 'refusal',
        refusal: (before?.type === 'refusal' ? before.refusal : '') + event.delta,
      };
    } else if (event.type === 'tool_call.delta') {
      const before = shown[event.index];
      const known = before?.type === 'tool_call' ? before.arguments : '';
      // Only the first part of a call may open it.
      expect(before === undefined).toBe(event.first === true);
      shown[event.index] = {
        type: 'tool_call',
        id: event.id,
        name: event.name,
        arguments: known + event.arguments_delta,
        status: 'requested',
        result: null,
        started_at: null,
        finished_at: null,
      };
    }
  }
  return shown.filter((item) => item !== undefined);
}

const eventsOf = (read: StoredEvent[]) => read.map(({ event }) => event);

describe.each(Array.from({ length: 12 }, (_, seed) => seed))('seed %i', (seed) => {
  test('a log trimmed anywhere shows the same as all its events', async () => {
    const random = seeded(seed);
    const id = newId('job');
    const all = drawEvents(random, 100 + Math.floor(random() * 500));
    for (let at = 0; at < all.length; ) {
      const step = all.slice(at, at + 1 + Math.floor(random() * 40));
      expect(await events.log.append(id, 1, -1, step)).toMatchObject({ status: 'appended' });
      at += step.length;
    }
    expect(await events.log.shown(id)).toEqual(replay(all));
    await events.log.append(id, 1, -1, [{ type: 'execution.succeeded' }]);
    expect(Number(await events.redis.hget(logKeys(id).folded, 'seq'))).toBeGreaterThan(1);
    for (const after of [0, 1, 2, Math.floor(random() * all.length), all.length - 10, all.length]) {
      const reader = await events.hub.open(id, after);
      const rest = await readUntil(reader);
      reader.close();
      const known = all.slice(0, Math.max(0, after - 1));
      expect(replay([...known, ...eventsOf(rest)])).toEqual(replay(all));
    }
  });

  test('an ended log of some events is small, and complete from any of its events', async () => {
    const random = seeded(seed + 2_000);
    const id = newId('job');
    const all: LogEvent[] = [...drawEvents(random, 1 + Math.floor(random() * 60)), { type: 'execution.succeeded' }];
    const split = Math.floor(random() * all.length);
    if (split > 0) await events.log.append(id, 1, 1, all.slice(0, split));
    const live = await events.hub.open(id, 0);
    const atEnd = all.slice(split);
    expect(await events.log.append(id, 1, 1 + split, atEnd)).toMatchObject({ status: 'appended', seq: all.length + 1 });
    // As after a lost reply.
    expect(await events.log.append(id, 1, 1 + split, atEnd)).toMatchObject({ status: 'appended', seq: all.length + 1 });
    const { log, ended } = logKeys(id);
    expect(await events.redis.exists(log)).toBe(0);
    expect(await events.redis.pttl(ended)).toBeGreaterThan(0);
    expect(await events.redis.strlen(ended)).toBeLessThanOrEqual(
      Buffer.byteLength(all.map((one) => JSON.stringify(one)).join('\n')) + all.length,
    );
    expect(eventsOf(await readUntil(live))).toEqual(all);
    live.close();
    for (let after = 1; after <= all.length; after += 1) {
      const reader = await events.hub.open(id, after);
      const rest = await readUntil(reader);
      reader.close();
      expect(eventsOf(rest)).toEqual(all.slice(after - 1));
      expect(rest[0]?.seq).toBe(after + 1);
    }
    expect(await events.log.shown(id)).toEqual(replay(all));
  });

  test('a writer that lost writes shows the same again, with merged deltas', async () => {
    const random = seeded(seed + 1_000);
    const { writer, executionId } = writeEvents(events.log);
    const all = drawEvents(random, 60);
    for (const event of all) {
      writer.emit(event as Parameters<typeof writer.emit>[0]);
      if (random() < 0.3) await writer.flush();
      if (random() < 0.05) {
        await writer.flush();
        await events.redis.del(...Object.values(logKeys(executionId)));
      }
    }
    await writer.flush();
    expect(writer.output()).toEqual(replay(all));
    await events.redis.del(...Object.values(logKeys(executionId)));
    await writer.end({ type: 'execution.succeeded' });
    const reader = await events.hub.open(executionId, 0);
    const read = await readUntil(reader);
    reader.close();
    expect(read[0]).toMatchObject({ event: { type: 'text.reset', reason: 'log_lost' } });
    expect(read[0]?.seq).toBeGreaterThan(LOST_EVENTS_GAP);
    expect(replay(eventsOf(read))).toEqual(replay(all));
    expect(await events.log.shown(executionId)).toEqual(replay(all));
  });
});

test('an ended log of 20 words takes less than 400 bytes', async () => {
  const id = newId('job');
  const words = Array.from({ length: 20 }, (_, at): LogEvent => ({ type: 'text.delta', index: 0, delta: ` w${at}` }));
  for (const [at, word] of words.entries()) await events.log.append(id, 1, at + 1, [word]);
  await events.log.append(id, 1, 21, [{ type: 'execution.succeeded' }]);
  expect(await events.redis.memory('USAGE', logKeys(id).ended)).toBeLessThan(400);
});

test('a long log stays a stream when it ends', async () => {
  const id = newId('job');
  const long: LogEvent = { type: 'text.delta', index: 0, delta: 'x'.repeat(20_000) };
  await events.log.append(id, 1, 1, [long, long]);
  await events.log.append(id, 1, 3, [{ type: 'execution.succeeded' }]);
  expect(await events.redis.exists(logKeys(id).ended)).toBe(0);
  const reader = await events.hub.open(id, 2);
  expect(eventsOf(await readUntil(reader))).toEqual([long, { type: 'execution.succeeded' }]);
  reader.close();
});

test('joins the deltas of one item, and separates items', async () => {
  const { writer, executionId } = writeEvents(events.log);
  const call = (index: number, arguments_delta: string, first?: true) =>
    ({
      type: 'tool_call.delta',
      index,
      call: index - 1,
      id: `call_${index}`,
      name: 'f',
      ...(first && { first }),
      arguments_delta,
    }) as const;
  for (const delta of ['a', 'b']) writer.emit({ type: 'reasoning.delta', index: 0, delta });
  for (const part of [call(1, '', true), call(1, '{"a"'), call(1, ':1}'), call(2, '', true), call(2, '{}')])
    writer.emit(part);
  for (const delta of ['c', 'd']) writer.emit({ type: 'text.delta', index: 3, delta, logprobs: [logprob(delta)] });
  writer.emit({ type: 'text.delta', index: 3, delta: 'e' });
  await writer.flush();
  const stored = await events.redis.xrange(logKeys(executionId).log, '-', '+');
  expect(stored.map(([, fields]) => JSON.parse(fields[1] as string))).toEqual([
    { type: 'reasoning.delta', index: 0, delta: 'ab' },
    call(1, '{"a":1}', true),
    call(2, '{}', true),
    { type: 'text.delta', index: 3, delta: 'cde', logprobs: [logprob('c'), logprob('d')] },
  ]);
});

test('asks the caller to wait for arguments, reasoning and log probabilities, too', () => {
  const { writer } = writeEvents(events.log);
  const long = 'x'.repeat(1_000_001);
  expect(writer.emit({ type: 'reasoning.delta', index: 0, delta: long })).toBeInstanceOf(Promise);
  const other = writeEvents(events.log).writer;
  const call = { index: 0, call: 0, id: 'c', name: 'f', first: true } as const;
  expect(other.emit({ type: 'tool_call.delta', ...call, arguments_delta: long })).toBeInstanceOf(Promise);
  const third = writeEvents(events.log).writer;
  const logprobs = Array.from({ length: 8_000 }, () => logprob('a'));
  expect(third.emit({ type: 'text.delta', index: 0, delta: 'a', logprobs })).toBeInstanceOf(Promise);
});
