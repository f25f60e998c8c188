import { type OutputItem, parseObject, presentUsage } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { z } from 'zod';
import { type ContentBlock, contentBlock } from './message-body.ts';

const messageUsage = z.object({
  input_tokens: z.int().describe('Input tokens that were not read from a cache'),
  output_tokens: z.int(),
  cache_read_input_tokens: z.int().describe("Input tokens that came from the provider's cache"),
  cache_creation_input_tokens: z.int().describe('Always 0: tokens that were written to a cache are input tokens here'),
  output_tokens_details: z.object({ thinking_tokens: z.int().describe('Output tokens of the thinking') }),
});

/** A message as `POST /v1/messages` answers it. */
export const anthropicMessage = z.object({
  id: z.string().describe('`msg_…`, with the number of the execution'),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string().describe('`provider/model` that answered'),
  content: z.array(contentBlock).max(1_000),
  stop_reason: z
    .enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'])
    .nullable()
    .describe('`end_turn` also at a stop sequence, if the provider does not report that'),
  stop_sequence: z.string().nullable().describe('The text that ended the answer'),
  usage: messageUsage,
});
export type PresentedMessage = z.infer<typeof anthropicMessage>;

/** Presents a succeeded execution as a message. @param hidesThinking whether its thinking is only signed */
export function presentMessage(record: ExecutionRecord, hidesThinking: boolean): PresentedMessage {
  return {
    ...emptyMessage(record, 0),
    content: contentOf(record.output, hidesThinking),
    ...stopOf(record),
    usage: usageOf(record),
  };
}

/** Returns a message that is not written yet. */
export function emptyMessage({ id, model }: ExecutionRecord, input_tokens: number): PresentedMessage {
  return {
    id: id.replace(/^job_/, 'msg_'),
    type: 'message',
    role: 'assistant',
    model: model ?? '',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: toUsage({ input_tokens, output_tokens: 0 }),
  };
}

/** Returns the blocks of an answer, without calls that ran on the server. */
export function contentOf(output: readonly OutputItem[], hidesThinking: boolean): ContentBlock[] {
  const lastRun = output.findLastIndex((item) => item.type === 'tool_call' && item.status !== 'requested');
  // Signatures before such calls are only valid together with them.
  return output.flatMap((item, index) => blockOf(item, index > lastRun, hidesThinking) ?? []);
}

/** Returns an output item as a block, or null if messages do not show it. */
function blockOf(item: OutputItem, isSigned: boolean, hidesThinking: boolean): ContentBlock | null {
  switch (item.type) {
    case 'text':
      return item.text === '' ? null : { type: 'text', text: item.text };
    case 'refusal':
      return { type: 'text', text: item.refusal };
    case 'reasoning':
      return thinkingBlock(item.text, (isSigned && item.signature) || '', hidesThinking);
    case 'tool_call':
      if (item.status !== 'requested') return null;
      return { type: 'tool_use', id: item.id, name: item.name, input: inputOf(item.arguments) };
    default:
      return null;
  }
}

/** Returns a block of thinking, or null if nothing of it is shown. */
export function thinkingBlock(text: string, signature: string, isHidden: boolean): ContentBlock | null {
  if (signature === '' && (text === '' || isHidden)) return null;
  if (text === '') return { type: 'redacted_thinking', data: signature };
  return { type: 'thinking', thinking: isHidden ? '' : text, signature };
}

/** Parses the arguments of a call. Others than an object are wrapped in one, as clients expect. */
function inputOf(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  const parsed = parseObject(text);
  return parsed ?? { invalid_arguments: text };
}

const STOP_REASONS: Readonly<Record<string, PresentedMessage['stop_reason']>> = {
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/** Returns why an answer ended. */
export function stopOf(record: ExecutionRecord): Pick<PresentedMessage, 'stop_reason' | 'stop_sequence'> {
  const { finish_reason, output, stop_sequence } = record;
  if (output.some(({ type }) => type === 'refusal')) return { stop_reason: 'refusal', stop_sequence: null };
  if (finish_reason === 'stop' && stop_sequence !== undefined) return { stop_reason: 'stop_sequence', stop_sequence };
  return { stop_reason: STOP_REASONS[finish_reason ?? ''] ?? 'end_turn', stop_sequence: null };
}

export function usageOf({ usage }: Pick<ExecutionRecord, 'usage'>): PresentedMessage['usage'] {
  return toUsage(presentUsage(usage));
}

function toUsage({
  input_tokens,
  output_tokens,
  cached_input_tokens: cached = 0,
  reasoning_tokens: thinking_tokens = 0,
}: {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number;
  reasoning_tokens?: number;
}): PresentedMessage['usage'] {
  return {
    input_tokens: Math.max(0, input_tokens - cached),
    output_tokens,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens_details: { thinking_tokens },
  };
}
