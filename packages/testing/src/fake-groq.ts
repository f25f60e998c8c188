import type { ChatWire, FrameContext, FrameWriter } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import { checkChat, invalid } from './fake-chat-checks.ts';
import { chunkOf, tokenUsage, wholeChat } from './fake-chat-frames.ts';
import { readChat } from './fake-conversation.ts';
import { type FakeBlock, FakeBlocks } from './fake-pieces.ts';

/** OpenAI's chunks with `reasoning`, calls in one piece, and the usage under `x_groq`. */
function groqFrames(context: FrameContext): FrameWriter {
  const chunk = chunkOf(context);
  const blocks = new FakeBlocks();
  let call: FakeBlock | null = null;
  const flush = (): string => {
    if (call === null) return '';
    const { call: index, name, text } = call;
    call = null;
    const id = `${context.id.slice(-8)}${index}`;
    return chunk({ tool_calls: [{ id, type: 'function', function: { name, arguments: text }, index }] }, null);
  };
  return {
    open: () => chunk({ role: 'assistant', content: null }, null, { x_groq: { id: 'req_fake' } }),
    piece(piece) {
      const { block, isNew } = blocks.add(piece);
      const before = isNew ? flush() : '';
      if (piece.type === 'call') {
        call = block;
        return before;
      }
      const channel = piece.type === 'reasoning' ? { channel: 'analysis' } : {};
      return before + chunk({ [piece.type === 'reasoning' ? 'reasoning' : 'content']: piece.text, ...channel }, null);
    },
    finish(reason) {
      const usage = { queue_time: 0.01, ...tokenUsage(context, blocks) };
      return `${flush()}${chunk({}, reason, { x_groq: { id: 'req_fake', usage }, usage })}data: [DONE]\n\n`;
    },
    whole: (reason) => ({
      ...wholeChat(context, reason, {
        role: 'assistant',
        content: blocks.textOf('text') || null,
        ...(blocks.reasoningTokens > 0 && { reasoning: blocks.textOf('reasoning') }),
        ...(blocks.calls.length > 0 && {
          tool_calls: blocks.calls.map(({ call: index, name, text }) => ({
            id: `${context.id.slice(-8)}${index}`,
            type: 'function',
            function: { name, arguments: text },
          })),
        }),
      }),
      usage: { queue_time: 0.01, ...tokenUsage(context, blocks) },
      x_groq: { id: 'req_fake' },
    }),
    error: () =>
      `event: error\ndata: ${JSON.stringify({ error: { message: 'The model is over capacity.', type: 'internal_server_error', status_code: 503 } })}\n\n`,
  };
}

/** Finds the first mistake in a request: OpenAI's, and fields that Groq does not have. */
function checkGroq(body: Record<string, unknown>): FakeBehavior['error'] | null {
  const unknown = ['logprobs', 'top_logprobs', 'logit_bias', 'verbosity'].find((name) => body[name] !== undefined);
  if (unknown !== undefined) return invalid(`property '${unknown}' is unsupported`, unknown);
  if (body.tools !== undefined && body.response_format !== undefined)
    return invalid('json mode cannot be combined with tool/function calling');
  return checkChat(body);
}

/** Groq's `POST /openai/v1/chat/completions`. */
export const groqWire: ChatWire = {
  name: 'groq',
  read: readChat,
  check: checkGroq,
  frames: groqFrames,
  failure: ({ error }) => ({ body: { error: { message: error.message, type: error.type, code: error.code } } }),
};
