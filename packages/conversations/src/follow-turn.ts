import { ChorusError, type OutputItem, type Owner, type ResetReason } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { answerText, type FollowParts, follow } from '@chorus/executions';

export interface TurnListener {
  text(delta: string): void;
  /** The text starts over. */
  reset(reason: ResetReason): Promise<void> | void;
  /** Called for each other item, with its index in the output. */
  item?(index: number, item: OutputItem): void;
}

export interface FollowedTurn extends Pick<FollowParts, 'database' | 'eventLog'> {
  owner: Owner;
  record: ExecutionRecord;
  reader: EventReader;
  signal: AbortSignal;
}

/**
 * Follows a dispatched turn to its end and emits its whole text.
 *
 * @throws the signal's reason; {ChorusError} `worker_lost` if the reader was closed elsewhere
 */
export async function followTurn(turn: FollowedTurn, listener: TurnListener): Promise<ExecutionRecord> {
  const { reader, signal } = turn;
  const close = () => reader.close();
  signal.addEventListener('abort', close);
  let given = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      const step = await follow({ ...turn, events: true });
      if (step === null) throw signal.aborted ? signal.reason : new ChorusError('worker_lost', 'The answer was lost.');
      for (const { event } of step.running) {
        if (event.type === 'text.delta' || event.type === 'refusal.delta') {
          given += event.delta;
          listener.text(event.delta);
        } else if (event.type === 'text.reset') {
          given = '';
          await listener.reset(event.reason);
        } else if (event.type === 'output.item') listener.item?.(event.index, event.item);
      }
      if (!('ended' in step)) continue;
      // If the log has expired, the record has the text.
      const text = answerText(step.ended);
      if (!text.startsWith(given)) {
        await listener.reset('log_lost');
        given = '';
      }
      if (text.length > given.length) listener.text(text.slice(given.length));
      return step.ended;
    }
  } finally {
    signal.removeEventListener('abort', close);
    reader.close();
  }
}

/** Returns the turn if it succeeded. @throws {ChorusError} its error, or `cancelled` */
export function succeeded(ended: ExecutionRecord): ExecutionRecord {
  if (ended.status === 'succeeded') return ended;
  if (ended.error === null) throw new ChorusError('cancelled', 'The answer was cancelled.');
  const { code, message, details } = ended.error;
  throw new ChorusError(code as ChorusError['code'], message, { details });
}
