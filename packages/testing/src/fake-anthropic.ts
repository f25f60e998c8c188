import type { ChatWire, FinishReason, FrameContext, FrameWriter } from './fake-answer.ts';
import { checkAnthropic, readAnthropic, signThinking } from './fake-anthropic-request.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import { type FakeBlock, FakeBlocks } from './fake-pieces.ts';

const ERRORS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const REASONS: Record<FinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  tool_calls: 'tool_use',
};

// Some events end with spaces, like the real ones.
const event = (type: string, fields: Record<string, unknown>) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}   \n\n`;

/** Events of `POST /v1/messages`: a content block for each block. Thinking without text is redacted. */
function anthropicFrames({ id, model, inputTokens, cached }: FrameContext): FrameWriter {
  const blocks = new FakeBlocks();
  let open: FakeBlock | null = null;
  const input = {
    input_tokens: inputTokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
  const contentOf = ({ type, name, index, text }: FakeBlock) => {
    switch (type) {
      case 'call':
        return { type: 'tool_use', id: `toolu_${id.slice(-8)}${index}`, name, input: {} };
      case 'reasoning':
        return text === ''
          ? { type: 'redacted_thinking', data: signThinking('redacted') }
          : { type: 'thinking', thinking: '', signature: '' };
      default:
        return { type: 'text', text: '' };
    }
  };
  const delta = ({ index, type }: FakeBlock, text: string): string => {
    const fields = {
      call: { type: 'input_json_delta', partial_json: text },
      reasoning: { type: 'thinking_delta', thinking: text },
      text: { type: 'text_delta', text },
      refusal: { type: 'text_delta', text },
    }[type];
    return event('content_block_delta', { index, delta: fields });
  };
  const stop = (): string => {
    if (open === null) return '';
    const { index, type, text } = open;
    open = null;
    const signature = { type: 'signature_delta', signature: signThinking(text) };
    const signs = type === 'reasoning' && text !== '';
    return (
      (signs ? event('content_block_delta', { index, delta: signature }) : '') + event('content_block_stop', { index })
    );
  };
  const ending = (reason: FinishReason, stoppedAt?: string) => {
    const refused = blocks.all.at(-1)?.type === 'refusal';
    const stop_reason = refused ? 'refusal' : stoppedAt === undefined ? REASONS[reason] : 'stop_sequence';
    const stop_details =
      stop_reason === 'refusal'
        ? { type: 'refusal', category: null, explanation: 'This request was blocked under the usage policy.' }
        : null;
    const output = {
      output_tokens: blocks.tokens,
      ...(blocks.reasoningTokens > 0 && { output_tokens_details: { thinking_tokens: blocks.reasoningTokens } }),
    };
    return { ended: { stop_reason, stop_sequence: stoppedAt ?? null, stop_details }, usage: { ...input, ...output } };
  };
  const wholeBlock = (block: FakeBlock) => {
    const { type, text } = block;
    if (type === 'call') return { ...contentOf(block), input: JSON.parse(text || '{}') };
    if (type === 'reasoning' && text !== '') return { type: 'thinking', thinking: text, signature: signThinking(text) };
    return type === 'reasoning' ? contentOf(block) : { type: 'text', text, citations: null };
  };
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
          usage: { ...input, output_tokens: 1, service_tier: 'standard' },
        },
      }) + event('ping', {}),
    piece(piece) {
      const { block, isNew } = blocks.add(piece);
      const before = isNew ? stop() : '';
      open = block;
      const start = isNew ? event('content_block_start', { index: block.index, content_block: contentOf(block) }) : '';
      // A tool call begins with an empty delta, and redacted thinking has none.
      return before + start + (block.type === 'reasoning' && piece.text === '' ? '' : delta(block, piece.text));
    },
    finish(reason, stoppedAt) {
      const { ended, usage } = ending(reason, stoppedAt);
      return stop() + event('message_delta', { delta: ended, usage }) + event('message_stop', {});
    },
    whole(reason, stoppedAt) {
      const { ended, usage } = ending(reason, stoppedAt);
      const content = blocks.all.map(wholeBlock);
      return { id, type: 'message', role: 'assistant', model, content, ...ended, usage };
    },
    error: ({ type, message }) =>
      event('error', {
        error: type === 'server_error' ? { type: 'overloaded_error', message: 'Overloaded' } : { type, message },
      }),
  };
}

export const anthropicWire: ChatWire = {
  name: 'msg',
  read: readAnthropic,
  check: checkAnthropic,
  frames: anthropicFrames,
  failure: ({ status, error }: FakeBehavior) => ({
    body: {
      type: 'error',
      error: { type: ERRORS[status] ?? 'api_error', message: error.message },
      request_id: 'req_fake',
    },
  }),
};
