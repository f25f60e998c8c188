import type { ChatWire, FinishReason, FrameContext, FrameWriter } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';

export const openaiError = ({ message, type, code }: FakeBehavior['error']) => ({
  error: { message, type, code, param: null },
});

const openaiWire = {
  failure: ({ error }: FakeBehavior) => ({ body: openaiError(error) }),
  isStream: (body: Record<string, unknown>) => body.stream === true,
};

/** Frames of `POST /v1/chat/completions`. */
function chatFrames(context: FrameContext): FrameWriter {
  const base = { id: context.id, object: 'chat.completion.chunk', created: context.created, model: context.model };
  const frame = (delta: Record<string, unknown>, reason: string | null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }], ...(context.includeUsage && { usage: null }) })}\n\n`;
  const usageOf = (words: number) => ({
    prompt_tokens: context.inputTokens,
    completion_tokens: words,
    total_tokens: context.inputTokens + words,
  });
  return {
    open: () => frame({ role: 'assistant', content: '', refusal: null }, null),
    delta: (text) => frame({ content: text }, null),
    finish: (_text, words, reason) =>
      `${frame({}, reason)}${context.includeUsage ? `data: ${JSON.stringify({ ...base, choices: [], usage: usageOf(words) })}\n\n` : ''}data: [DONE]\n\n`,
    error: (error) => `data: ${JSON.stringify({ error: { ...error, param: null } })}\n\n`,
    whole: (text, words, reason) => ({
      ...base,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text, refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: reason,
        },
      ],
      usage: usageOf(words),
    }),
  };
}

export const chatWire: ChatWire = { name: 'chatcmpl', frames: chatFrames, ...openaiWire };

/** Typed events of `POST /v1/responses`. */
function responsesFrames(context: FrameContext): FrameWriter {
  const itemId = `msg_${context.id.slice(5)}`;
  const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  const item = (status: string, content: unknown[]) => ({
    id: itemId,
    type: 'message',
    role: 'assistant',
    status,
    content,
  });
  const response = (status: string, more: Record<string, unknown>) => ({
    id: context.id,
    object: 'response',
    created_at: context.created,
    status,
    model: context.model,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...more,
  });
  const event = (sequence: number, type: string, fields: Record<string, unknown>) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`;
  const place = { item_id: itemId, output_index: 0, content_index: 0 };
  const ended = (text: string, words: number, reason: FinishReason) =>
    response(reason === 'stop' ? 'completed' : 'incomplete', {
      output: [item(reason === 'stop' ? 'completed' : 'incomplete', [part(text)])],
      incomplete_details: reason === 'stop' ? null : { reason: reason === 'length' ? 'max_output_tokens' : reason },
      usage: {
        input_tokens: context.inputTokens,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: words,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: context.inputTokens + words,
      },
    });
  return {
    open: () =>
      event(0, 'response.created', { response: response('in_progress', {}) }) +
      event(1, 'response.in_progress', { response: response('in_progress', {}) }) +
      event(2, 'response.output_item.added', { output_index: 0, item: item('in_progress', []) }) +
      event(3, 'response.content_part.added', { ...place, part: part('') }),
    delta: (text, index) =>
      event(4 + index, 'response.output_text.delta', { ...place, delta: text, logprobs: [], obfuscation: '' }),
    finish: (text, words, reason) =>
      event(4 + words, 'response.output_text.done', { ...place, text, logprobs: [] }) +
      event(5 + words, 'response.content_part.done', { ...place, part: part(text) }) +
      event(6 + words, 'response.output_item.done', { output_index: 0, item: item('completed', [part(text)]) }) +
      event(7 + words, reason === 'stop' ? 'response.completed' : 'response.incomplete', {
        response: ended(text, words, reason),
      }),
    error: (error, index) =>
      event(4 + index, 'error', { code: error.code ?? error.type, message: error.message, param: null }),
    whole: (text, words, reason) => ended(text, words, reason),
  };
}

export const responsesWire: ChatWire = { name: 'resp', frames: responsesFrames, ...openaiWire };
