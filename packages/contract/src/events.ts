import { z } from 'zod';
import { execution, type OutputItem, outputItem, type Progress, progress } from './execution.ts';

/**
 * What a worker may put into an execution's event log while it runs. `seq` and `execution_id` are added when the event is
 * numbered and when it is sent; the terminal events carry the whole execution, which is added when they are sent.
 */
export type RunningEvent =
  | { type: 'execution.started'; attempt: number }
  /** `index`: which output item the text belongs to. */
  | { type: 'text.delta'; index: number; delta: string }
  /**
   * A piece of the sound of an output item, in base64, in the format that was asked for. `offset`: bytes of sound before it since the last reset, so
   * that a reader sees where a trimmed log has left some out; the item itself has all of them.
   */
  | { type: 'audio.delta'; index: number; offset: number; delta: string }
  /** The text begins anew: the answer is the deltas since the last reset. What the text before it cited is taken back with it, and so is its sound. */
  | { type: 'text.reset'; reason: ResetReason }
  | { type: 'progress'; progress: Progress }
  /** One item of the result is finished, before the others; the same index again takes its place. */
  | { type: 'output.item'; index: number; item: OutputItem };

/** Whether a reset of the text takes an item back, too: one that belongs to the text. */
export function goesWithText(item: OutputItem): boolean {
  return item.type === 'text' || item.type === 'citation';
}

export type ResetReason = 'provider_failed' | 'worker_lost' | 'handed_back' | 'log_trimmed' | 'log_lost';

/**
 * `ending`: the fields of the record that the end has set, times in ISO 8601, so that a reader needs no look at the database; absent where
 * they are large.
 */
export type TerminalEvent = {
  type: `execution.${'succeeded' | 'failed' | 'cancelled'}`;
  ending?: Record<string, unknown> & { attempt: number };
};

/** An event as it lies in the log. `execution.queued` is always number 1 and is never stored: it follows from the record. */
export type LogEvent = RunningEvent | TerminalEvent | { type: 'execution.queued' };

export const TERMINAL_EVENTS = ['execution.succeeded', 'execution.failed', 'execution.cancelled'] as const;

const base = { seq: z.int(), execution_id: z.string() };
const terminal = { ...base, execution: execution.describe('The whole execution; of a chat turn a `ChatExecution`') };

/** A frame of `text/event-stream`, as documented. */
export const streamFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('execution.queued'), ...base }),
  z.object({ type: z.literal('execution.started'), ...base, attempt: z.int() }),
  z.object({ type: z.literal('text.delta'), ...base, index: z.int(), delta: z.string() }),
  z.object({ type: z.literal('audio.delta'), ...base, index: z.int(), offset: z.int(), delta: z.string() }),
  z.object({ type: z.literal('text.reset'), ...base, reason: z.string() }),
  z.object({ type: z.literal('progress'), ...base, progress }),
  z.object({ type: z.literal('output.item'), ...base, index: z.int(), item: outputItem }),
  z.object({ type: z.literal('execution.succeeded'), ...terminal }),
  z.object({ type: z.literal('execution.failed'), ...terminal }),
  z.object({ type: z.literal('execution.cancelled'), ...terminal }),
]);
