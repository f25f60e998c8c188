import { goesWithText, type LogEvent, type OutputItem } from '@chorus/contract';
import type { RedisConnection } from './connect-redis.ts';
import { logKeys } from './keys.ts';
import { readFolded } from './read-folded.ts';

/** Events fetched from the log in one round trip. */
const PAGE = 1_000;

/** The output that an execution's events have shown so far, in order of its items: what stands when it ends without its worker. */
export async function readShown(redis: RedisConnection, executionId: string): Promise<OutputItem[]> {
  const items = new Map<number, OutputItem>();
  const take = (event: LogEvent) => {
    if (event.type === 'output.item') items.set(event.index, event.item);
    else if (event.type === 'text.delta') {
      const before = items.get(event.index);
      items.set(event.index, { type: 'text', text: (before?.type === 'text' ? before.text : '') + event.delta });
    } else if (event.type === 'text.reset') {
      for (const [index, item] of items) if (goesWithText(item)) items.delete(index);
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
