import { belongsToText, type LogEvent, type OutputItem } from '@chorus/contract';
import type { RedisConnection } from './connect-redis.ts';
import { logKeys } from './keys.ts';

const PAGE = 1_000;

export interface StoredEvent {
  seq: number;
  event: LogEvent;
  /** Only complete with the events after it, as part of a fold. Clients must not keep its number as a cursor. */
  partial?: boolean;
}

/**
 * Reads the folded events of a trimmed log: a reset, the text so far, and the items so far. Their numbers end
 * at the last folded one. All but the last are `partial`.
 */
export async function readFolded(redis: RedisConnection, executionId: string): Promise<StoredEvent[]> {
  const fields = await redis.hgetall(logKeys(executionId).folded);
  const last = Number(fields.seq ?? 0);
  if (last === 0) return [];
  const events: LogEvent[] = [{ type: 'text.reset', reason: 'log_trimmed' }];
  const indexOf = (name: string) => Number(name.slice('text:'.length));
  for (const [name, value] of Object.entries(fields).sort(([a], [b]) => indexOf(a) - indexOf(b))) {
    if (name.startsWith('text:') && value !== '') {
      events.push({ type: 'text.delta', index: indexOf(name), delta: JSON.parse(`"${value}"`) });
    } else if (name.startsWith('item:')) {
      events.push(JSON.parse(value) as LogEvent);
    }
  }
  return events.map((event, position) => {
    const seq = last - events.length + 1 + position;
    return seq === last ? { seq, event } : { seq, event, partial: true };
  });
}

/** Returns the output that an execution has shown so far, in order of its index. */
export async function readShown(redis: RedisConnection, executionId: string): Promise<OutputItem[]> {
  const items = new Map<number, OutputItem>();
  const take = (event: LogEvent) => {
    if (event.type === 'output.item') items.set(event.index, event.item);
    else if (event.type === 'text.delta') {
      const before = items.get(event.index);
      items.set(event.index, { type: 'text', text: (before?.type === 'text' ? before.text : '') + event.delta });
    } else if (event.type === 'text.reset') {
      for (const [index, item] of items) if (belongsToText(item)) items.delete(index);
    }
  };
  const folded = await readFolded(redis, executionId);
  for (const { event } of folded) take(event);
  for (let after = folded.at(-1)?.seq ?? 0; ; ) {
    const entries = await redis.xrange(logKeys(executionId).log, `${after + 1}-0`, '+', 'COUNT', PAGE);
    for (const [id, fields] of entries) {
      take(JSON.parse(fields[1] as string) as LogEvent);
      after = Number.parseInt(id, 10);
    }
    if (entries.length < PAGE) break;
  }
  return [...items.entries()].sort(([one], [other]) => one - other).map(([, item]) => item);
}
