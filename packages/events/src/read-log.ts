import { type AnswerDelta, isAnswerDelta, type LogEvent, type OutputItem } from '@chorus/contract';
import type { RedisConnection } from './connection/index.ts';
import { logKeys } from './keys.ts';
import { ShownOutput } from './shown-output.ts';

const PAGE = 1_000;

export interface StoredEvent {
  seq: number;
  event: LogEvent;
  /** Only complete with the events after it, as part of a fold. Clients must not keep its number as a cursor. */
  partial?: boolean;
}

export interface LogPage {
  events: StoredEvent[];
  /** Size of the events as JSON. */
  bytes: number;
  /** Whether more events may follow. */
  full: boolean;
}

/** Reads the next events of a log that are not folded. An ended log is returned in one page. */
export async function readPage(
  redis: RedisConnection,
  executionId: string,
  after: number,
  count: number,
): Promise<LogPage> {
  const keys = logKeys(executionId);
  // In this order, the second command finds a log that ends between the two.
  const [entries, ended] = await Promise.all([
    redis.xrange(keys.log, `${after + 1}-0`, '+', 'COUNT', count),
    redis.get(keys.ended),
  ]);
  const found =
    ended === null
      ? entries.map(([id, fields]) => ({ seq: Number.parseInt(id, 10), body: fields[1] ?? '' }))
      : endedEvents(ended).slice(Math.max(0, after - 1));
  return {
    events: found.map(({ seq, body }) => ({ seq, event: JSON.parse(body) as LogEvent })),
    bytes: found.reduce((sum, { body }) => sum + body.length, 0),
    full: ended === null && entries.length === count,
  };
}

/** Returns the events of an ended log as they were appended. For the format see `append-script.ts`. */
function endedEvents(text: string): { seq: number; body: string }[] {
  let shared = '';
  return text.split('\n').map((line, position) => {
    const tab = line.indexOf('\t');
    if (tab > 0) shared = line.slice(0, tab);
    return { seq: position + 2, body: tab === -1 ? line : shared + line.slice(tab + 1) };
  });
}

/**
 * Reads the folded events of a trimmed log: a reset, the answer so far, and the items so far. Their numbers end
 * at the last folded event. All but the last are `partial`.
 */
export async function readFolded(redis: RedisConnection, executionId: string): Promise<StoredEvent[]> {
  const fields = await redis.hgetall(logKeys(executionId).folded);
  const last = Number(fields.seq ?? 0);
  if (last === 0) return [];
  const shown = Object.keys(fields).flatMap((name) => foldedEvent(fields, name) ?? []);
  shown.sort((one, other) => one.index - other.index || Number(isAnswerDelta(other)) - Number(isAnswerDelta(one)));
  const events: LogEvent[] = [{ type: 'text.reset', reason: 'log_trimmed' }, ...shown];
  return events.map((event, position) => {
    const seq = last - events.length + 1 + position;
    return seq === last ? { seq, event } : { seq, event, partial: true };
  });
}

/** Returns the event for a field of the fold. Null if the field belongs to another event. */
function foldedEvent(fields: Record<string, string>, name: string): (LogEvent & { index: number }) | null {
  const [kind, at] = name.split(':');
  const value = fields[name] as string;
  const index = Number(at);
  const text = () => JSON.parse(`"${value}"`) as string;
  switch (kind) {
    case 'text': {
      const logprobs = fields[`logprobs:${at}`];
      const found = logprobs === undefined ? {} : { logprobs: JSON.parse(`[${logprobs.slice(1)}]`) };
      return { type: 'text.delta', index, delta: text(), ...found };
    }
    case 'reasoning':
      return { type: 'reasoning.delta', index, delta: text() };
    case 'refusal':
      return { type: 'refusal.delta', index, delta: text() };
    case 'tool_call': {
      const head = JSON.parse(`{${fields[`head:${at}`]?.slice(1)}}`) as Pick<ToolCallDelta, 'call' | 'id' | 'name'>;
      return { type: 'tool_call.delta', index, ...head, first: true, arguments_delta: text() };
    }
    case 'item':
      return JSON.parse(value) as LogEvent & { type: 'output.item' };
    default:
      return null;
  }
}

type ToolCallDelta = Extract<AnswerDelta, { type: 'tool_call.delta' }>;

/** Returns the output that an execution has shown so far, ordered by index. */
export async function readShown(redis: RedisConnection, executionId: string): Promise<OutputItem[]> {
  const shown = new ShownOutput();
  const folded = await readFolded(redis, executionId);
  for (const { event } of folded) shown.add(event);
  for (let after = folded.at(-1)?.seq ?? 0; ; ) {
    const { events, full } = await readPage(redis, executionId, after, PAGE);
    for (const { event } of events) shown.add(event);
    after = events.at(-1)?.seq ?? after;
    if (!full) break;
  }
  return shown.output();
}
