import type { BatchEndpoint } from './batch-port.ts';

type Fields = Record<string, unknown>;

/**
 * Converts a whole answer to the events of a streamed one. Unknown fields are kept, so that a malformed answer
 * fails in the same place as a malformed stream. Null: answers of this endpoint are never streamed.
 */
export function toEvents(endpoint: BatchEndpoint, body: unknown): string | null {
  const convert = EVENTS[endpoint];
  if (convert === undefined) return null;
  const events = isFields(body) ? convert(body) : [body];
  const named = endpoint === 'messages' || endpoint === 'responses';
  const written = events.map((event) => {
    const name = named && isFields(event) ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return written.join('') + (endpoint === 'chat/completions' ? 'data: [DONE]\n\n' : '');
}

const EVENTS: Partial<Record<BatchEndpoint, (body: Fields) => unknown[]>> = {
  // Chunks have the same form as a whole answer.
  generateContent: (body) => [body],
  'chat/completions': chatEvents,
  messages: messageEvents,
  responses: responseEvents,
};

/** One chunk with everything. Tool calls need their index. */
function chatEvents(body: Fields): unknown[] {
  const choices = listOf(body.choices).map(({ message, ...choice }) => ({ ...choice, delta: toDelta(message) }));
  return [{ ...body, object: 'chat.completion.chunk', ...(Array.isArray(body.choices) && { choices }) }];
}

function toDelta(message: unknown): unknown {
  if (!isFields(message) || !Array.isArray(message.tool_calls)) return message;
  return { ...message, tool_calls: listOf(message.tool_calls).map((call, index) => ({ index, ...call })) };
}

function messageEvents({ content, stop_reason, stop_sequence, stop_details, usage, ...message }: Fields): unknown[] {
  const blocks = listOf(content).flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence, stop_details }, usage },
    { type: 'message_stop' },
  ];
}

/** Returns a block as it begins. Blocks of other types come whole. */
function emptied(block: Fields): Fields {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return { ...block, input: {} };
    default:
      return block;
  }
}

function deltasOf({ type, text, citations, thinking, signature, input }: Fields): Fields[] {
  switch (type) {
    case 'text':
      return [
        ...listOf(citations).map((citation) => ({ type: 'citations_delta', citation })),
        { type: 'text_delta', text },
      ];
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(input ?? {}) }];
    default:
      return [];
  }
}

const RESPONSE_ENDS: Partial<Record<string, string>> = {
  failed: 'response.failed',
  incomplete: 'response.incomplete',
};

function responseEvents(response: Fields): unknown[] {
  const items = listOf(response.output).flatMap((item, output_index) => [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, ...(item.content !== undefined && { content: [] }) },
    },
    ...itemEvents(item, output_index),
    { type: 'response.output_item.done', output_index, item },
  ]);
  return [
    { type: 'response.created', response: { ...response, output: [], usage: null } },
    ...items,
    { type: RESPONSE_ENDS[String(response.status)] ?? 'response.completed', response },
  ];
}

function itemEvents({ type, id, content, summary, arguments: input }: Fields, output_index: number): Fields[] {
  const at = { item_id: id, output_index };
  if (type === 'function_call')
    return [{ type: 'response.function_call_arguments.delta', ...at, item_id: id ?? '', delta: input }];
  if (type === 'reasoning')
    return listOf(summary).flatMap(({ text }, summary_index) => [
      { type: 'response.reasoning_summary_part.added', ...at, summary_index },
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index, delta: text },
      { type: 'response.reasoning_summary_part.done', ...at, summary_index },
    ]);
  return listOf(content).flatMap((part, content_index): Fields[] => {
    const place = { ...at, content_index };
    if (part.type === 'refusal') return [{ type: 'response.refusal.delta', ...place, delta: part.refusal }];
    if (part.type !== 'output_text') return [];
    return [{ type: 'response.output_text.delta', ...place, delta: part.text, logprobs: part.logprobs ?? [] }];
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
