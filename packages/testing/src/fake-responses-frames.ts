import type { ChatWire, FinishReason, FrameContext, FrameWriter } from './fake-answer.ts';
import { logprobOf, openaiWire } from './fake-chat-frames.ts';
import { type FakeBlock, FakeBlocks } from './fake-pieces.ts';
import { checkResponses, readResponses } from './fake-responses-request.ts';

type Fields = Record<string, unknown>;

/** Typed events of `POST /v1/responses`: an output item for each block. */
function responsesFrames(context: FrameContext): FrameWriter {
  const { body } = context;
  const blocks = new FakeBlocks();
  const number = context.id.slice(5);
  const include = (body.include ?? []) as string[];
  const wantsLogprobs = include.includes('message.output_text.logprobs');
  const reasoning = (body.reasoning ?? {}) as { summary?: string };
  let sequence = 0;
  let open: FakeBlock | null = null;

  const event = (type: string, fields: Fields) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const logprobs = (text: string) =>
    wantsLogprobs && text !== '' ? [logprobOf(text, Number(body.top_logprobs ?? 0))] : [];
  const idOf = ({ type, index }: FakeBlock) => `${PREFIXES[type]}_${number}${index}`;
  const partOf = ({ type, text }: Pick<FakeBlock, 'type' | 'text'>) =>
    type === 'refusal'
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations: [], logprobs: [] };
  /** The item when it opens, and when it is done. */
  const itemOf = (block: FakeBlock, done: boolean): Fields => {
    const id = idOf(block);
    const status = done ? 'completed' : 'in_progress';
    switch (block.type) {
      case 'reasoning': {
        const encrypted = include.includes('reasoning.encrypted_content')
          ? { encrypted_content: `encrypted-${done ? 'whole' : 'start'}-${id}` }
          : {};
        const summary = done && reasoning.summary ? [{ type: 'summary_text', text: block.text }] : [];
        return { id, type: 'reasoning', summary, ...encrypted };
      }
      case 'call':
        return {
          id,
          type: 'function_call',
          status,
          arguments: done ? block.text : '',
          call_id: `call_${number}${block.index}`,
          name: block.name,
        };
      default:
        return { id, type: 'message', status, role: 'assistant', content: done ? [partOf(block)] : [] };
    }
  };
  const place = (block: FakeBlock) => ({ item_id: idOf(block), output_index: block.index });
  const summaryPlace = (block: FakeBlock) => ({ ...place(block), summary_index: 0 });
  const start = (block: FakeBlock): string => {
    open = block;
    const added = event('response.output_item.added', { output_index: block.index, item: itemOf(block, false) });
    if (block.type === 'call') return added;
    if (block.type === 'reasoning')
      return reasoning.summary
        ? added +
            event('response.reasoning_summary_part.added', {
              ...summaryPlace(block),
              part: { type: 'summary_text', text: '' },
            })
        : added;
    return (
      added +
      event('response.content_part.added', { ...place(block), content_index: 0, part: partOf({ ...block, text: '' }) })
    );
  };
  const delta = (block: FakeBlock, text: string): string => {
    const at = { ...place(block), content_index: 0 };
    switch (block.type) {
      case 'text':
        return event('response.output_text.delta', { ...at, delta: text, logprobs: logprobs(text), obfuscation: '' });
      case 'refusal':
        return event('response.refusal.delta', { ...at, delta: text });
      case 'call':
        return text === ''
          ? ''
          : event('response.function_call_arguments.delta', { ...place(block), delta: text, obfuscation: '' });
      case 'reasoning':
        return reasoning.summary
          ? event('response.reasoning_summary_text.delta', { ...summaryPlace(block), delta: text, obfuscation: '' })
          : '';
    }
  };
  const stop = (): string => {
    if (open === null) return '';
    const block = open;
    open = null;
    const at = { ...place(block), content_index: 0 };
    const done = event('response.output_item.done', { output_index: block.index, item: itemOf(block, true) });
    const { text } = block;
    switch (block.type) {
      case 'text':
        return (
          event('response.output_text.done', { ...at, text, logprobs: [] }) +
          event('response.content_part.done', { ...at, part: partOf(block) }) +
          done
        );
      case 'refusal':
        return (
          event('response.refusal.done', { ...at, refusal: text }) +
          event('response.content_part.done', { ...at, part: partOf(block) }) +
          done
        );
      case 'call':
        return event('response.function_call_arguments.done', { ...place(block), arguments: text }) + done;
      case 'reasoning':
        return (
          (reasoning.summary
            ? event('response.reasoning_summary_text.done', { ...summaryPlace(block), text }) +
              event('response.reasoning_summary_part.done', {
                ...summaryPlace(block),
                part: { type: 'summary_text', text },
              })
            : '') + done
        );
    }
  };
  const response = (status: string, more: Fields) => ({
    id: context.id,
    object: 'response',
    created_at: context.created,
    status,
    model: context.model,
    error: null,
    incomplete_details: null,
    output: [],
    store: body.store ?? true,
    usage: null,
    ...more,
  });
  const ended = (reason: FinishReason) => {
    const cut = reason === 'length' || reason === 'content_filter';
    return response(cut ? 'incomplete' : 'completed', {
      output: blocks.all.map((block) => itemOf(block, true)),
      incomplete_details: cut ? { reason: reason === 'length' ? 'max_output_tokens' : reason } : null,
      usage: {
        input_tokens: context.inputTokens,
        input_tokens_details: { cached_tokens: context.cached },
        output_tokens: blocks.tokens,
        output_tokens_details: { reasoning_tokens: blocks.reasoningTokens },
        total_tokens: context.inputTokens + blocks.tokens,
      },
    });
  };
  return {
    open: () =>
      event('response.created', { response: response('in_progress', {}) }) +
      event('response.in_progress', { response: response('in_progress', {}) }),
    piece(piece) {
      const { block, isNew } = blocks.add(piece);
      return (isNew ? stop() + start(block) : '') + delta(block, piece.text);
    },
    finish(reason) {
      const end = ended(reason);
      return (
        stop() + event(end.status === 'completed' ? 'response.completed' : 'response.incomplete', { response: end })
      );
    },
    error(error) {
      const failed = { code: error.code ?? error.type, message: error.message };
      return (
        event('error', { error: { type: error.type, ...failed, param: null } }) +
        event('response.failed', { response: response('failed', { error: failed }) })
      );
    },
    whole: ended,
  };
}

const PREFIXES = { text: 'msg', refusal: 'msg', call: 'fc', reasoning: 'rs' };

export const responsesWire: ChatWire = {
  name: 'resp',
  read: readResponses,
  check: checkResponses,
  frames: responsesFrames,
  ...openaiWire,
};
