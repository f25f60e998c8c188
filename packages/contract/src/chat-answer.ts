import { z } from 'zod';
import { type ReasoningBlock, reasoningBlock, reasoningFields, type ToolCall, tokenLogprob, toolCall } from './chat.ts';
import type { AnswerDelta } from './events.ts';
import { executionUsage, type OutputItem, type PresentedItem } from './execution.ts';

type Items = readonly (OutputItem | PresentedItem)[];

/** A model's answer as the message of OpenAI's `chat.completion`. */
export const answerMessage = z.object({
  role: z.literal('assistant'),
  content: z.string().nullable(),
  refusal: z.string().nullable(),
  reasoning_content: z.string().optional(),
  reasoning_signature: z.string().optional(),
  reasoning_blocks: z.array(reasoningBlock).max(1_000).optional(),
  tool_calls: z.array(toolCall).max(1_000).optional(),
});

export const answerChoice = z.object({
  index: z.int(),
  message: answerMessage,
  finish_reason: z.string().nullable(),
  logprobs: z
    .object({
      content: z.array(tokenLogprob).max(1_000_000).nullable(),
      refusal: z.array(tokenLogprob).max(1_000_000).nullable(),
    })
    .nullable(),
});
export type AnswerChoice = z.infer<typeof answerChoice>;

/** The usage of a `chat.completion`, with OpenAI's names added. */
export const completionUsage = executionUsage.extend({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int(), audio_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int(), audio_tokens: z.int() }),
});

export function toCompletionUsage(used: z.infer<typeof executionUsage>): z.infer<typeof completionUsage> {
  const { input_tokens, output_tokens, cached_input_tokens: cached_tokens, reasoning_tokens } = used;
  const { audio_input_tokens = 0, audio_output_tokens = 0 } = used;
  return {
    ...used,
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details: { cached_tokens, audio_tokens: audio_input_tokens },
    completion_tokens_details: { reasoning_tokens, audio_tokens: audio_output_tokens },
  };
}

/** Returns an answer as OpenAI's choice. */
export function toChoice(output: Items, finish_reason: string | null): AnswerChoice {
  const refusals = output.flatMap((item) => (item.type === 'refusal' ? [item.refusal] : []));
  const calls = toolCallsOf(output);
  const texts = output.flatMap((item) => (item.type === 'text' ? [item] : []));
  const text = texts.map((item) => item.text).join('');
  const content = text === '' && (calls.length > 0 || refusals.length > 0) ? null : text;
  const logprobs = texts.flatMap((item) => item.logprobs ?? []);
  return {
    index: 0,
    message: {
      role: 'assistant',
      content,
      refusal: refusals.length > 0 ? refusals.join('') : null,
      ...reasoningFields(reasoningIn(output)),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    finish_reason,
    logprobs: logprobs.length > 0 ? { content: logprobs, refusal: null } : null,
  };
}

/** Returns the calls that the caller must run. */
export function toolCallsOf(output: Items): ToolCall[] {
  return output.flatMap((item): ToolCall[] => {
    if (item.type !== 'tool_call' || item.status !== 'requested') return [];
    const { id, name, arguments: text, signature } = item;
    return [
      { id, type: 'function', function: { name, arguments: text }, ...(signature !== undefined && { signature }) },
    ];
  });
}

/** Returns the reasoning, without signatures before calls that ran on the server: they are only valid with those. */
export function reasoningIn(output: Items): ReasoningBlock[] {
  const lastRun = output.findLastIndex((item) => item.type === 'tool_call' && item.status !== 'requested');
  return output.flatMap((item, index): ReasoningBlock[] => {
    if (item.type !== 'reasoning') return [];
    const { text, signature } = item;
    return [{ text, ...(signature !== undefined && index > lastRun && { signature }) }];
  });
}

/** Returns a piece of an answer as the `delta` of OpenAI's `chat.completion.chunk`. */
export function toChunkDelta(event: AnswerDelta): Record<string, unknown> {
  switch (event.type) {
    case 'text.delta':
      return { content: event.delta };
    case 'reasoning.delta':
      return { reasoning_content: event.delta };
    case 'refusal.delta':
      return { refusal: event.delta };
    case 'tool_call.delta': {
      const { call: index, id, name, first, arguments_delta } = event;
      if (!first) return { tool_calls: [{ index, function: { arguments: arguments_delta } }] };
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: arguments_delta } }] };
    }
    default:
      throw event satisfies never;
  }
}

/**
 * Returns the last `delta`: the signatures, which are only known at the end. They come with the whole reasoning,
 * because OpenAI's JavaScript client keeps only the last value of the streamed field.
 */
export function toLastDelta(output: Items): Record<string, unknown> {
  const reasoning_blocks = reasoningIn(output);
  const isSigned = reasoning_blocks.some(({ signature }) => signature !== undefined);
  const signed = toolCallsOf(output).flatMap(({ signature }, index) =>
    signature === undefined ? [] : [{ index, function: { arguments: '' }, signature }],
  );
  return { ...(isSigned && { reasoning_blocks }), ...(signed.length > 0 && { tool_calls: signed }) };
}
