import type { ChatWire, FrameContext, FrameWriter } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import { invalid } from './fake-chat-checks.ts';
import { chunkOf, tokenUsage, wholeChat } from './fake-chat-frames.ts';
import { type Message, readChat } from './fake-conversation.ts';
import { FakeBlocks } from './fake-pieces.ts';

const thinking = (text: string) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }];

/** OpenAI's chunks with reasoning as content. All calls come at the end, in one piece. */
function mistralFrames(context: FrameContext): FrameWriter {
  const chunk = chunkOf(context);
  const blocks = new FakeBlocks();
  const callsOf = () =>
    blocks.calls.map(({ call, name, text }) => ({
      id: `${context.id.slice(-8)}${call}`,
      function: { name, arguments: text },
      index: call,
    }));
  const usageOf = () => {
    const { completion_tokens_details: _, ...usage } = tokenUsage(context, blocks);
    return usage;
  };
  return {
    open: () => chunk({ role: 'assistant', content: '' }, null),
    piece(piece) {
      blocks.add(piece);
      if (piece.type === 'call') return '';
      return chunk({ content: piece.type === 'reasoning' ? thinking(piece.text) : piece.text }, null);
    },
    finish(reason) {
      const tool_calls = callsOf();
      const delta = tool_calls.length > 0 ? { content: null, tool_calls } : { content: '' };
      return `${chunk(delta, reason, { usage: usageOf() })}data: [DONE]\n\n`;
    },
    whole(reason) {
      const tool_calls = callsOf();
      const text = blocks.textOf('text');
      const content =
        blocks.reasoningTokens > 0 ? [...thinking(blocks.textOf('reasoning')), { type: 'text', text }] : text;
      const message = { role: 'assistant', content, tool_calls: tool_calls.length > 0 ? tool_calls : null };
      return { ...wholeChat(context, reason, message), usage: usageOf() };
    },
    error: () =>
      `data: ${JSON.stringify({ object: 'error', message: 'Service unavailable.', type: 'internal_server_error', code: '3000' })}\n\n`,
  };
}

/** Finds the first mistake in a request, in Mistral's wording. */
function checkMistral(body: Record<string, unknown>): FakeBehavior['error'] | null {
  const messages = (body.messages ?? []) as (Message & { prefix?: boolean })[];
  const order = (message: string) => ({ ...invalid(message), type: 'invalid_request_message_order', code: '3230' });
  const last = messages.at(-1);
  if (last?.role === 'assistant' && last.prefix !== true)
    return order('Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant');
  for (const [index, message] of messages.entries()) {
    const { role, tool_calls, content } = message;
    if (role === 'user' && messages[index - 1]?.role === 'tool')
      return order("Unexpected role 'user' after role 'tool'");
    if (role === 'assistant' && !tool_calls?.length && !content?.length)
      return invalid(
        'Assistant message must have either content or tool_calls, but not none of them.',
        undefined,
        '3240',
      );
    const wrong = (tool_calls ?? []).find(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id));
    if (wrong)
      return invalid(`Tool call id was ${wrong.id} but must be a-z, A-Z, 0-9, with a length of 9.`, undefined, '3280');
    const rest = messages.slice(index + 1);
    const end = rest.findIndex((next) => next.role !== 'tool');
    const results = rest.slice(0, end < 0 ? rest.length : end);
    if (tool_calls?.length && tool_calls.length !== results.length)
      return order('Not the same number of function calls and responses');
  }
  return null;
}

/** Mistral's `POST /v1/chat/completions`. */
export const mistralWire: ChatWire = {
  name: 'mistral',
  read: readChat,
  check: checkMistral,
  frames: mistralFrames,
  failure: ({ status, error }) => ({
    body:
      status === 401
        ? { detail: 'Unauthorized' }
        : {
            object: 'error',
            message: error.message,
            type: status === 429 ? 'rate_limited' : error.type.startsWith('invalid') ? error.type : 'service_error',
            code: /^\d+$/.test(error.code ?? '') ? error.code : '3000',
          },
  }),
};
