import { isDeepStrictEqual } from 'node:util';
import type { LogEvent } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { ANY_ATTEMPT, BEYOND_LOST, type EventLog } from '@chorus/events';
import { terminalEvent } from './terminal-event.ts';

/**
 * Ends the log of a finished record with its terminal event, unless it has one. Where Redis fell back to an older state and the log lacks
 * what the record holds, that is told again before, after a reset.
 *
 * @param given the last number that some reader has been given, who waits for more
 */
export async function closeLog(eventLog: EventLog, record: ExecutionRecord, given = 0): Promise<void> {
  const log = await eventLog.peek(record.id);
  if (log?.ended) return;
  const end = terminalEvent(record);
  const isWhole = !log || (given <= log.seq && isDeepStrictEqual(await eventLog.shown(record.id), record.output));
  if (isWhole) await eventLog.append(record.id, ANY_ATTEMPT, -1, [end]);
  else
    await eventLog.append(record.id, ANY_ATTEMPT, Math.max(given, log.seq) + BEYOND_LOST, [...toldAgain(record), end]);
}

function toldAgain({ output }: ExecutionRecord): LogEvent[] {
  const events = output.map(
    (item, index): LogEvent =>
      item.type === 'text' ? { type: 'text.delta', index, delta: item.text } : { type: 'output.item', index, item },
  );
  return [{ type: 'text.reset', reason: 'log_lost' }, ...events];
}
