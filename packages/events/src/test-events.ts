import { newId } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import type { TestRedis } from '@chorus/testing';
import { connectRedis, type RedisConnection, type RedisRole } from './connection/index.ts';
import { createEventHub, type EventHub } from './event-hub.ts';
import { createEventLog, type EventLog, type EventLogLimits } from './event-log.ts';
import type { EventReader } from './event-reader.ts';
import { EventWriter, type EventWriterOptions } from './event-writer.ts';
import type { StoredEvent } from './read-log.ts';

export const LIMITS: EventLogLimits = { maxLength: 10_000, keepMs: 3_600_000 };

const silent = createLogger({ name: 'test', level: 'silent' });

/** Connections, log, and hub of one process. */
export interface TestEvents {
  redis: RedisConnection;
  log: EventLog;
  hub: EventHub;
  close(): void;
}

export function openEvents(server: Pick<TestRedis, 'url'>, limits = LIMITS, role: RedisRole = 'worker'): TestEvents {
  const config = { url: server.url, cluster: false };
  const redis = connectRedis(config, role);
  const subscriber = connectRedis(config, role);
  for (const connection of [redis, subscriber]) connection.on('error', () => undefined);
  const hub = createEventHub(redis, subscriber, silent);
  return {
    redis,
    log: createEventLog(redis, limits),
    hub,
    close: () => {
      hub.close();
      redis.disconnect();
    },
  };
}

/** Creates a writer for an execution, and collects its refusals and cancel requests. */
export function writeEvents(log: EventLog, options: Partial<EventWriterOptions> = {}) {
  const calls = { refusals: [] as string[], cancels: 0 };
  const executionId = options.executionId ?? newId('job');
  const writer = new EventWriter({
    log,
    executionId,
    attempt: 1,
    base: 1,
    mayReset: true,
    onRefused: (refusal) => calls.refusals.push(refusal),
    onCancelRequested: () => {
      calls.cancels += 1;
    },
    ...options,
  });
  return { writer, executionId, calls };
}

export function isEnd({ event }: StoredEvent): boolean {
  return (
    event.type === 'execution.succeeded' || event.type === 'execution.failed' || event.type === 'execution.cancelled'
  );
}

/** Reads until the terminal event, or until `enough` returns true. */
export async function readUntil(
  reader: EventReader,
  enough: (events: StoredEvent[]) => boolean = (events) => events.some(isEnd),
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  while (!enough(events)) {
    if (reader.closed) throw new Error('the reader was closed');
    events.push(...(await reader.next()));
  }
  return events;
}

/** Returns the text of output item 0 that a client shows. */
export function textOf(events: StoredEvent[]): string {
  let text = '';
  for (const { event } of events) {
    if (event.type === 'text.reset') text = '';
    if (event.type === 'text.delta' && event.index === 0) text += event.delta;
  }
  return text;
}

export function inOrder(events: StoredEvent[]): boolean {
  return events.every(({ seq }, position) => position === 0 || seq > (events[position - 1] as StoredEvent).seq);
}

/** Lets other work of this process run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Polls until the condition is true; throws after 40 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`still false: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Creates a reproducible generator of numbers from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
