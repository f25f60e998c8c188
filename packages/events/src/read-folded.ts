import type { LogEvent } from '@chorus/contract';
import type { RedisConnection } from './connect-redis.ts';
import { logKeys } from './keys.ts';
import type { StoredEvent } from './stored-event.ts';

/**
 * What a trimmed log's dropped events amounted to: a reset, the text so far, the items so far. Their numbers end at the last folded
 * event's; the log keeps enough events before that one for every reader who knows a later number. All but the last are `partial`.
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
