import type { FakeBehavior } from './fake-behavior.ts';
import { checkSchema, invalid } from './fake-chat-checks.ts';
import { ConversationReader, textOf } from './fake-conversation.ts';
import type { FakeConversation } from './fake-turn.ts';

type Fields = Record<string, unknown>;

interface Item {
  type?: string;
  id?: string;
  role?: string;
  content?: string | { type: string; text?: string }[];
  call_id?: string;
  output?: string | { text?: string }[];
  encrypted_content?: string | null;
}

const itemsOf = ({ input }: Fields): Item[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : ((input ?? []) as Item[]);

/** Reads a request of the Responses API. */
export function readResponses(body: Fields): FakeConversation {
  const tools = (body.tools ?? []) as { name: string; parameters?: unknown }[];
  const choice = (body.tool_choice ?? 'auto') as 'auto' | 'none' | 'required' | Fields;
  const format = (body.text as { format?: { type: string; schema?: unknown } } | undefined)?.format;
  const allowed = typeof choice === 'object' && choice.type === 'allowed_tools' ? (choice.tools as Fields[]) : null;
  const reader = new ConversationReader({
    tools: tools
      .filter(({ name }) => allowed === null || allowed.some((tool) => tool.name === name))
      .map(({ name, parameters }) => ({ name, schema: parameters })),
    choice:
      typeof choice === 'string'
        ? choice
        : allowed !== null
          ? (choice.mode as 'auto' | 'required')
          : { name: String(choice.name) },
    parallel: body.parallel_tool_calls !== false,
    schema: format === undefined || format.type === 'text' ? undefined : (format.schema ?? {}),
  });
  for (const { type, role, content, output } of itemsOf(body)) {
    if (type === 'function_call') reader.calls();
    else if (type === 'function_call_output') reader.result(textOf(output));
    else if (role === 'user') reader.user(textOf(content));
    else if (content !== undefined) reader.text(textOf(content));
  }
  return reader.end();
}

/** Finds the first mistake in a request, in OpenAI's wording. */
export function checkResponses(body: Fields): FakeBehavior['error'] | null {
  const items = itemsOf(body);
  if (items.length === 0) return invalid("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  const answered = new Set(items.map(({ type, call_id }) => (type === 'function_call_output' ? call_id : undefined)));
  const called = new Set<string | undefined>();
  for (const [index, { type, id, call_id, encrypted_content }] of items.entries()) {
    if (type === 'function_call') {
      called.add(call_id);
      if ((call_id ?? '').length > 64)
        return invalid(
          `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64.`,
          `input[${index}].call_id`,
          'string_above_max_length',
        );
      if (!answered.has(call_id)) return invalid(`No tool output found for function call ${call_id}.`, 'input');
    } else if (type === 'function_call_output') {
      if (!called.has(call_id))
        return invalid(`No tool call found for function call output with call_id ${call_id}.`, 'input');
    } else if (type === 'item_reference' || (type === 'reasoning' && !encrypted_content))
      return {
        ...invalid(
          `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
          'input',
        ),
      };
    else if (type === 'reasoning') {
      if (!encrypted_content?.startsWith('encrypted-whole-'))
        return invalid(
          `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
          undefined,
          'invalid_encrypted_content',
        );
      const next = items[index + 1];
      if (next === undefined || (next.type === 'message' && next.role !== 'assistant') || next.role === 'user')
        return invalid(`Item '${id}' of type 'reasoning' was provided without its required following item.`, 'input');
    }
  }
  return checkShape(body, items);
}

function checkShape(body: Fields, items: Item[]): FakeBehavior['error'] | null {
  const tools = (body.tools ?? []) as { name: string; parameters?: Fields; strict?: boolean }[];
  for (const tool of tools) {
    // Functions are strict here unless the request says otherwise.
    const wrong = tool.parameters && checkSchema(tool.parameters, tool.strict !== false);
    if (wrong)
      return invalid(`Invalid schema for function '${tool.name}': ${wrong}`, 'tools', 'invalid_function_parameters');
  }
  const { format } = (body.text ?? {}) as {
    format?: { type: string; name?: string; schema?: Fields; strict?: boolean };
  };
  if (format?.type === 'json_object' && !items.some(({ content }) => /json/i.test(textOf(content))))
    return invalid(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      'input',
    );
  if (format?.type !== 'json_schema') return null;
  if (format.name === undefined)
    return invalid("Missing required parameter: 'text.format.name'.", 'text.format.name', 'missing_required_parameter');
  const wrong = format.schema && checkSchema(format.schema, format.strict === true);
  return wrong ? invalid(`Invalid schema for response_format '${format.name}': ${wrong}`, 'text.format.schema') : null;
}
