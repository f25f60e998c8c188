import { ChorusError, type OutputItem, type Owner, type RequiredAction, type ResetReason } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { answerText, type FollowParts, follow } from '@chorus/executions';

export interface TurnListener {
  text(delta: string): void;
  /** Called when the text starts over. */
  reset(reason: ResetReason): Promise<void> | void;
  /** Called for each other item, with its index in the output. */
  item?(index: number, item: OutputItem): void;
  /** Called once, if a tool has run for a second before any text. */
  slow?(): void;
  /** Called when calls wait for decisions. Returns whether to stop following. */
  waits?(action: RequiredAction): boolean;
}

/** Tools that run longer are announced. */
const SLOW_TOOL_MS = 1_000;

export interface FollowedTurn extends Pick<FollowParts, 'database' | 'eventLog'> {
  owner: Owner;
  record: ExecutionRecord;
  reader: EventReader;
  signal: AbortSignal;
}

/**
 * Follows a dispatched turn to its end and emits its whole text.
 *
 * @returns The ended execution, or one that waits for decisions.
 * @throws the signal's reason; {ChorusError} `worker_lost` if the reader was closed elsewhere
 */
export async function followTurn(turn: FollowedTurn, listener: TurnListener): Promise<ExecutionRecord> {
  const { reader, signal, database, owner, record } = turn;
  const close = () => reader.close();
  signal.addEventListener('abort', close);
  let given = '';
  const running = new Set<number>();
  let slow: NodeJS.Timeout | undefined;
  let isSlow = false;
  const announce = () => {
    isSlow = true;
    if (given.trim() === '') listener.slow?.();
  };
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
        else if (event.type === 'tool_call.started') running.add(event.index);
        else if (event.type === 'tool_call.finished') running.delete(event.index);
      }
      if (running.size === 0) {
        clearTimeout(slow);
        slow = undefined;
      } else if (!isSlow) slow ??= setTimeout(announce, SLOW_TOOL_MS);
      if (!('ended' in step)) {
        const asked = step.running.findLast(({ event }) => event.type === 'execution.requires_action')?.event;
        if (asked?.type !== 'execution.requires_action' || listener.waits === undefined) continue;
        // An earlier wait may be over.
        const waiting = await database.executions.get(owner, record.id);
        if (waiting?.status === 'requires_action' && listener.waits(asked.required_action)) return waiting;
        continue;
      }
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
    clearTimeout(slow);
    signal.removeEventListener('abort', close);
    reader.close();
  }
}

/** Returns the turn if it succeeded. @throws {ChorusError} its error, or `cancelled` */
export function succeeded(ended: ExecutionRecord): ExecutionRecord {
  if (ended.status === 'succeeded') return ended;
  if (ended.error === null) throw new ChorusError('cancelled', 'The answer was cancelled.');
  const { code, message, details, retry_after_s: retryAfterS } = ended.error;
  throw new ChorusError(code as ChorusError['code'], message, {
    details,
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}
