import { z } from 'zod';
import { type TokenLogprob, tokenLogprob } from './chat.ts';
import {
  execution,
  type OutputItem,
  outputItem,
  type Progress,
  progress,
  type ToolCallItem,
  toolCallItem,
} from './execution.ts';
import { type WaitingFor, waitingFor } from './lanes.ts';
import { type RequiredAction, requiredAction } from './tool-approval.ts';

/**
 * An event that a worker appends to an execution's log. `seq` and `execution_id` are added when it is numbered
 * and sent. Terminal events get the whole execution when they are sent.
 */
export type RunningEvent<Item = OutputItem> =
  | { type: 'execution.started'; attempt: number }
  /** The provider takes no call now. Another attempt goes on later. */
  | ({ type: 'execution.waiting' } & WaitingFor)
  /** `index`: the output item that the text belongs to. */
  | { type: 'text.delta'; index: number; delta: string; logprobs?: TokenLogprob[] }
  | { type: 'reasoning.delta'; index: number; delta: string }
  | { type: 'refusal.delta'; index: number; delta: string }
  /**
   * A part of a tool call. `call` counts the calls of the answer from 0. `first` marks the first part of a
   * call, which may have no arguments yet.
   */
  | {
      type: 'tool_call.delta';
      index: number;
      call: number;
      id: string;
      name: string;
      first?: true;
      arguments_delta: string;
    }
  /**
   * A chunk of an output item's audio, in base64, in the requested format. `offset`: bytes of audio before it
   * since the last reset, which reveals gaps of a trimmed log. The item itself has all audio.
   */
  | { type: 'audio.delta'; index: number; offset: number; delta: string }
  /**
   * The answer starts over: it consists of the deltas since the last reset. Earlier reasoning, tool calls,
   * citations and audio are dropped, too.
   */
  | { type: 'text.reset'; reason: ResetReason }
  | { type: 'progress'; progress: Progress }
  /** A call is running on the server. An `output.item` has the whole call. */
  | { type: 'tool_call.started'; index: number; id: string; name: string }
  | { type: 'tool_call.finished'; index: number; id: string; status: ToolCallItem['status']; result: string | null }
  /** The execution waits for a person to decide on calls. Another attempt continues it. */
  | { type: 'execution.requires_action'; required_action: RequiredAction }
  /** One item of the output is finished. A later item with the same index replaces it. */
  | { type: 'output.item'; index: number; item: Item };

/** Items of an answer, which a text reset drops. */
export const ANSWER_ITEMS: readonly OutputItem['type'][] = [
  'text',
  'reasoning',
  'refusal',
  'tool_call',
  'mcp_list_tools',
  'citation',
];

/** Returns whether a text reset also drops this item. */
export function belongsToText(item: OutputItem): boolean {
  return ANSWER_ITEMS.includes(item.type);
}

/** A piece of an answer that is being written. */
export type AnswerDelta = Extract<RunningEvent, { type: `${'text' | 'reasoning' | 'refusal' | 'tool_call'}.delta` }>;

export function isAnswerDelta(event: LogEvent): event is AnswerDelta {
  switch (event.type) {
    case 'text.delta':
    case 'reasoning.delta':
    case 'refusal.delta':
    case 'tool_call.delta':
      return true;
    default:
      return false;
  }
}

export type ResetReason = 'provider_failed' | 'worker_lost' | 'handed_back' | 'log_trimmed' | 'log_lost';

/**
 * `ending`: fields of the record that the end has set, with times in ISO 8601, so that readers need no database
 * access. Absent when they are large.
 */
export type TerminalEvent = {
  type: `execution.${'succeeded' | 'failed' | 'cancelled'}`;
  ending?: Record<string, unknown> & { attempt: number };
};

/** An event in the log. `execution.queued` is always number 1 and never stored, since it follows from the record. */
export type LogEvent = RunningEvent | TerminalEvent | { type: 'execution.queued' };

export const TERMINAL_EVENTS = ['execution.succeeded', 'execution.failed', 'execution.cancelled'] as const;

const base = { seq: z.int(), execution_id: z.string() };
const terminal = { ...base, execution: execution.describe('The whole execution; for chat turns a `ChatExecution`') };

export const streamFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('execution.queued'), ...base }),
  z.object({ type: z.literal('execution.waiting'), ...base, ...waitingFor.shape }),
  z.object({ type: z.literal('execution.started'), ...base, attempt: z.int() }),
  z.object({
    type: z.literal('text.delta'),
    ...base,
    index: z.int(),
    delta: z.string(),
    logprobs: z.array(tokenLogprob).max(100_000).optional(),
  }),
  z.object({ type: z.literal('reasoning.delta'), ...base, index: z.int(), delta: z.string() }),
  z.object({ type: z.literal('refusal.delta'), ...base, index: z.int(), delta: z.string() }),
  z.object({
    type: z.literal('tool_call.delta'),
    ...base,
    index: z.int(),
    call: z.int().describe("Counts the answer's calls from 0"),
    id: z.string(),
    name: z.string(),
    first: z.literal(true).optional().describe('Marks the first part of a call'),
    arguments_delta: z.string(),
  }),
  z.object({ type: z.literal('audio.delta'), ...base, index: z.int(), offset: z.int(), delta: z.string() }),
  z.object({ type: z.literal('text.reset'), ...base, reason: z.string() }),
  z.object({ type: z.literal('progress'), ...base, progress }),
  z.object({ type: z.literal('tool_call.started'), ...base, index: z.int(), id: z.string(), name: z.string() }),
  z.object({
    type: z.literal('tool_call.finished'),
    ...base,
    index: z.int(),
    id: z.string(),
    status: toolCallItem.shape.status,
    result: z.string().nullable(),
  }),
  z.object({ type: z.literal('execution.requires_action'), ...base, required_action: requiredAction }),
  z.object({ type: z.literal('output.item'), ...base, index: z.int(), item: outputItem }),
  z.object({ type: z.literal('execution.succeeded'), ...terminal }),
  z.object({ type: z.literal('execution.failed'), ...terminal }),
  z.object({ type: z.literal('execution.cancelled'), ...terminal }),
]);
