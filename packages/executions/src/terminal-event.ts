import { isDeepStrictEqual } from 'node:util';
import {
  type LogEvent,
  type OutputItem,
  type RunningEvent,
  type TerminalEvent,
  withEndedCalls,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { ANY_ATTEMPT, type EventLog, LOST_EVENTS_GAP } from '@chorus/events';

/** Larger outputs are read from the database. A vector of 3,072 dimensions fits. */
const MAX_OUTPUT_CHARACTERS = 20_000;

/** Fields of the record that a terminal event includes. */
const INCLUDED_FIELDS = [
  'status',
  'model',
  'provider',
  'output',
  'usage',
  'context',
  'warnings',
  'progress',
  'error',
  'attempt',
  'finish_reason',
  'stop_sequence',
  'resets',
  'started_at',
  'finished_at',
] as const satisfies (keyof ExecutionRecord)[];

type Ending = Pick<ExecutionRecord, (typeof INCLUDED_FIELDS)[number]>;

export function terminalEvent(record: ExecutionRecord): TerminalEvent {
  const type = `execution.${record.status}` as TerminalEvent['type'];
  if (isLarge(record.output)) return { type };
  const ending = Object.fromEntries(INCLUDED_FIELDS.map((name) => [name, record[name]])) as unknown as Ending;
  return { type, ending: { ...ending } };
}

function isLarge(output: OutputItem[]): boolean {
  let size = 0;
  return output.some((item) => {
    size += item.type === 'text' && item.logprobs === undefined ? item.text.length : JSON.stringify(item).length;
    return size > MAX_OUTPUT_CHARACTERS;
  });
}

/** Returns the finished record from a terminal event and the earlier record, or null if it is not included. */
export function recordOfEnd(event: LogEvent, before: ExecutionRecord): ExecutionRecord | null {
  if (!('ending' in event) || event.ending === undefined) return null;
  const ending = event.ending as unknown as Omit<Ending, 'started_at' | 'finished_at'> & Record<string, string | null>;
  const time = (value: string | null | undefined) => (value ? new Date(value) : null);
  return { ...before, ...ending, started_at: time(ending.started_at), finished_at: time(ending.finished_at) };
}

/**
 * Ends the log of a finished record with its terminal event, unless it has one. If Redis lost part of the
 * log in a failover, first resets it and writes the record's output again.
 *
 * @param given last number that a waiting reader has received
 */
export async function closeLog(eventLog: EventLog, record: ExecutionRecord, given = 0): Promise<void> {
  const log = await eventLog.peek(record.id);
  if (log?.ended) return;
  const end = terminalEvent(record);
  const isComplete = !log || (given <= log.seq && isShown(await eventLog.shown(record.id), record));
  if (isComplete) await eventLog.append(record.id, ANY_ATTEMPT, -1, [end]);
  else
    await eventLog.append(record.id, ANY_ATTEMPT, Math.max(given, log.seq) + LOST_EVENTS_GAP, [
      { type: 'text.reset', reason: 'log_lost' },
      ...replayEvents(record.output),
      end,
    ]);
}

/** Returns whether a record has the output that its log has shown, apart from calls that its end has ended. */
function isShown(shown: OutputItem[], { status, output, finished_at, approvals }: ExecutionRecord): boolean {
  const ended = status === 'succeeded' || finished_at === null ? shown : withEndedCalls(shown, finished_at, approvals);
  return isDeepStrictEqual(ended, output);
}

/** Returns events that show an output. */
export function replayEvents(output: readonly OutputItem[]): RunningEvent[] {
  let calls = 0;
  return output.flatMap((item, index): RunningEvent[] => {
    const whole: RunningEvent = { type: 'output.item', index, item };
    switch (item.type) {
      case 'text':
        return [{ type: 'text.delta', index, delta: item.text, ...(item.logprobs && { logprobs: item.logprobs }) }];
      case 'refusal':
        return [{ type: 'refusal.delta', index, delta: item.refusal }];
      case 'reasoning': {
        const delta: RunningEvent = { type: 'reasoning.delta', index, delta: item.text };
        return item.signature === undefined ? [delta] : [delta, whole];
      }
      case 'tool_call': {
        const { id, name, arguments: arguments_delta, status, signature } = item;
        if (status !== 'requested') return [whole];
        const call = { call: calls++, id, name, first: true, arguments_delta } as const;
        const delta: RunningEvent = { type: 'tool_call.delta', index, ...call };
        return signature === undefined ? [delta] : [delta, whole];
      }
      default:
        return [whole];
    }
  });
}
