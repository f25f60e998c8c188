import type { ChatWire, FinishReason, FrameContext } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import { ConversationReader, readChat, textOf } from './fake-conversation.ts';
import type { FakeConversation } from './fake-turn.ts';

// Wire formats of providers with a separate API, as they document it.

function readTexts(body: Record<string, unknown>): FakeConversation {
  const reader = new ConversationReader({ tools: [], choice: 'auto', parallel: true, schema: undefined });
  const messages = (body.messages ?? body.contents ?? []) as { role: string; content?: string; parts?: [] }[];
  for (const { role, content, parts } of messages)
    if (role === 'user') reader.user(textOf(content ?? parts));
    else reader.text(textOf(content ?? parts));
  return reader.end();
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const event = (type: string, fields: Record<string, unknown>) => `event: ${type}\n${data({ type, ...fields })}`;

const ANTHROPIC_ERRORS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function anthropicError({ status, error }: FakeBehavior) {
  const type = ANTHROPIC_ERRORS[status] ?? 'api_error';
  return { type: 'error', error: { type, message: error.message }, request_id: 'req_fake' };
}

/** `POST /v1/messages` */
export const anthropicWire: ChatWire = {
  name: 'msg',
  failure: (behavior) => ({ body: anthropicError(behavior) }),
  read: readTexts,
  frames: ({ id, model, inputTokens }) => {
    let words = 0;
    const reasons: Record<FinishReason, string> = {
      stop: 'end_turn',
      length: 'max_tokens',
      content_filter: 'refusal',
      tool_calls: 'tool_use',
    };
    const usage = { input_tokens: inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    return {
      open: () =>
        event('message_start', {
          message: {
            id,
            type: 'message',
            role: 'assistant',
            model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { ...usage, output_tokens: 1 },
          },
        }) +
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
        event('ping', {}),
      piece({ text }) {
        words += 1;
        return event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
      },
      finish: (reason) =>
        event('content_block_stop', { index: 0 }) +
        event('message_delta', {
          delta: { stop_reason: reasons[reason], stop_sequence: null },
          usage: { output_tokens: words },
        }) +
        event('message_stop', {}),
      error: () => event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
    };
  },
};

const GOOGLE_STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Google has no `Retry-After`; the details of the error contain the time. */
function googleFailure({ status, error, retryAfter }: FakeBehavior) {
  const details: Record<string, unknown>[] =
    retryAfter === null ? [] : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }];
  if (error.code === 'API_KEY_INVALID')
    details.push({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: error.code, domain: 'googleapis.com' });
  return {
    body: { error: { code: status, message: error.message, status: GOOGLE_STATUSES[status] ?? 'UNKNOWN', details } },
    headers: {},
  };
}

/** `POST /v1beta/models/<model>:streamGenerateContent?alt=sse` */
export const googleWire: ChatWire = {
  name: 'google',
  failure: googleFailure,
  read: readTexts,
  frames: ({ id, model, inputTokens }) => {
    let words = 0;
    const reasons: Record<FinishReason, string> = {
      stop: 'STOP',
      length: 'MAX_TOKENS',
      content_filter: 'SAFETY',
      tool_calls: 'STOP',
    };
    const usage = () => ({
      promptTokenCount: inputTokens,
      candidatesTokenCount: words,
      totalTokenCount: inputTokens + words,
    });
    const frame = (candidate: Record<string, unknown>) =>
      data({
        candidates: [{ ...candidate, index: 0 }],
        usageMetadata: usage(),
        modelVersion: model,
        responseId: id,
      });
    const content = (text: string) => ({ parts: [{ text }], role: 'model' });
    return {
      open: () => '',
      piece({ text }) {
        words += 1;
        return frame({ content: content(text) });
      },
      // A blocked prompt has no candidates.
      finish: (reason) =>
        reason === 'content_filter' && words === 0
          ? data({ promptFeedback: { blockReason: 'SAFETY', safetyRatings: [] }, usageMetadata: usage() })
          : frame({ content: content(''), finishReason: reasons[reason] }),
      error: () =>
        data({
          error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' },
        }),
    };
  },
};

const chunkOf =
  ({ id, model, created }: FrameContext) =>
  (delta: Record<string, unknown>, reason: string | null, more: Record<string, unknown> = {}) =>
    data({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    });

const tokens = (input: number, words: number) => ({
  prompt_tokens: input,
  completion_tokens: words,
  total_tokens: input + words,
});

/** `POST /v1/chat/completions` of Mistral: OpenAI's chunks, usage in the last one, different errors. */
export const mistralWire: ChatWire = {
  name: 'mistral',
  read: readChat,
  failure: ({ status, error }) => ({
    body:
      status === 401
        ? { detail: 'Unauthorized' }
        : {
            object: 'error',
            message: error.message,
            type: status === 429 ? 'rate_limited' : 'service_error',
            code: '3000',
          },
  }),
  frames: (context) => {
    const chunk = chunkOf(context);
    let words = 0;
    return {
      open: () => chunk({ role: 'assistant', content: '' }, null),
      piece({ text }) {
        words += 1;
        return chunk({ content: text }, null);
      },
      finish: (reason) =>
        `${chunk({ content: '' }, reason, { usage: tokens(context.inputTokens, words) })}data: [DONE]\n\n`,
      error: () =>
        data({ object: 'error', message: 'Service unavailable.', type: 'internal_server_error', code: '3000' }),
    };
  },
};

/** `POST /openai/v1/chat/completions` at Groq: OpenAI's chunks, the usage under `x_groq`. */
export const groqWire: ChatWire = {
  name: 'groq',
  read: readChat,
  failure: ({ error }) => ({ body: { error: { message: error.message, type: error.type, code: error.code } } }),
  frames: (context) => {
    const chunk = chunkOf(context);
    let words = 0;
    return {
      open: () => chunk({ role: 'assistant', content: '' }, null, { x_groq: { id: 'req_fake' } }),
      piece({ text }) {
        words += 1;
        return chunk({ content: text }, null);
      },
      finish: (reason) =>
        `${chunk({}, reason, { x_groq: { id: 'req_fake', usage: { queue_time: 0.01, ...tokens(context.inputTokens, words) } } })}data: [DONE]\n\n`,
      error: () =>
        `event: error\n${data({ error: { message: 'The model is over capacity.', type: 'internal_server_error', status_code: 503 } })}`,
    };
  },
};
