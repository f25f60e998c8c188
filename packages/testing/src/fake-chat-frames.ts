import type { ChatWire, FinishReason, FrameContext, FrameWriter } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import { behaviorOf } from './fake-behavior.ts';
import { checkChat } from './fake-chat-checks.ts';
import { readChat } from './fake-conversation.ts';
import { type FakeBlock, FakeBlocks, type FakePiece } from './fake-pieces.ts';

export const openaiError = ({ message, type, code, param }: FakeBehavior['error']) => ({
  error: { message, type, code, param: param ?? null },
});

export const logprobOf = (token: string, top: number) => ({
  token,
  logprob: -0.25,
  bytes: [...Buffer.from(token)],
  top_logprobs: Array.from({ length: top }, (_, index) => ({
    token: index === 0 ? token : `${token}${index}`,
    logprob: -0.25 - index,
    bytes: [...Buffer.from(index === 0 ? token : `${token}${index}`)],
  })),
});

/** Returns a writer of chunks in OpenAI's form. */
export const chunkOf =
  ({ id, model, created }: FrameContext) =>
  (delta: Record<string, unknown>, reason: string | null, more: Record<string, unknown> = {}): string =>
    `data: ${JSON.stringify({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      ...more,
    })}\n\n`;

/** Returns a whole answer in OpenAI's form, without its usage. */
export const wholeChat = ({ id, model, created }: FrameContext, reason: string, message: Record<string, unknown>) => ({
  id,
  object: 'chat.completion',
  created,
  model,
  choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
});

/** Counts tokens as chat completions do. */
export const tokenUsage = ({ inputTokens, cached }: FrameContext, { tokens, reasoningTokens }: FakeBlocks) => ({
  prompt_tokens: inputTokens,
  completion_tokens: tokens,
  total_tokens: inputTokens + tokens,
  ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 } }),
  ...(reasoningTokens > 0 && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
});

/** Frames of `POST /v1/chat/completions`. Like many servers, sends reasoning in `reasoning_content`. */
export function chatFrames(context: FrameContext): FrameWriter {
  const { body } = context;
  const includeUsage =
    (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true &&
    !behaviorOf(context.model).unmetered;
  const base = { id: context.id, object: 'chat.completion.chunk', created: context.created, model: context.model };
  const blocks = new FakeBlocks();
  const callId = ({ call }: FakeBlock) => `call_${context.id.slice(-8)}${call}`;
  const frame = (delta: Record<string, unknown>, reason: string | null, logprobs: unknown = null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs, finish_reason: reason }], ...(includeUsage && { usage: null }) })}\n\n`;
  const tokens = (...texts: string[]) =>
    body.logprobs === true ? texts.map((text) => logprobOf(text, Number(body.top_logprobs ?? 0))) : null;
  const logprobsOf = ({ type, text }: Pick<FakePiece, 'type' | 'text'>) =>
    body.logprobs === true && (type === 'text' || type === 'refusal')
      ? { content: type === 'text' ? tokens(text) : null, refusal: type === 'refusal' ? tokens(text) : null }
      : null;
  const deltaOf = (piece: FakePiece, block: FakeBlock, isNew: boolean): Record<string, unknown> => {
    switch (piece.type) {
      case 'text':
        return { content: piece.text };
      case 'reasoning':
        return { reasoning_content: piece.text };
      case 'refusal':
        return { refusal: piece.text };
      case 'call': {
        const head = isNew ? { id: callId(block), type: 'function' } : {};
        const named = isNew ? { name: piece.name } : {};
        return { tool_calls: [{ index: piece.call, ...head, function: { ...named, arguments: piece.text } }] };
      }
    }
  };
  return {
    open: () => frame({ role: 'assistant', content: '', refusal: null }, null),
    piece(piece) {
      const { block, isNew } = blocks.add(piece);
      return frame(deltaOf(piece, block, isNew), null, logprobsOf(piece));
    },
    finish: (reason) =>
      `${frame({}, reason)}${includeUsage ? `data: ${JSON.stringify({ ...base, choices: [], usage: tokenUsage(context, blocks) })}\n\n` : ''}data: [DONE]\n\n`,
    error: (error) => `data: ${JSON.stringify(openaiError(error))}\n\n`,
    whole: (reason: FinishReason) => ({
      ...base,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: blocks.textOf('text') || null,
            refusal: blocks.textOf('refusal') || null,
            ...(blocks.reasoningTokens > 0 && { reasoning_content: blocks.textOf('reasoning') }),
            ...(blocks.calls.length > 0 && {
              tool_calls: blocks.calls.map((block) => ({
                id: callId(block),
                type: 'function',
                function: { name: block.name, arguments: block.text },
              })),
            }),
            annotations: [],
          },
          logprobs: tokens(blocks.textOf('text')) && { content: tokens(blocks.textOf('text')), refusal: null },
          finish_reason: reason,
        },
      ],
      usage: tokenUsage(context, blocks),
    }),
  };
}

export const openaiWire = {
  failure: ({ error }: FakeBehavior) => ({ body: openaiError(error) }),
  isStream: (body: Record<string, unknown>) => body.stream === true,
};

export const chatWire: ChatWire = {
  name: 'chatcmpl',
  read: readChat,
  check: checkChat,
  frames: chatFrames,
  ...openaiWire,
};
