import type { FakeBehavior } from './fake-behavior.ts';
import { type Message, textOf } from './fake-conversation.ts';

type Problem = FakeBehavior['error'];
type Fields = Record<string, unknown>;

export const invalid = (message: string, param?: string, code: string | null = null): Problem => ({
  message,
  type: 'invalid_request_error',
  code,
  ...(param !== undefined && { param }),
});

/** Finds the first mistake in a request of chat completions, in OpenAI's wording. */
export function checkChat(body: Fields): Problem | null {
  const messages = (body.messages ?? []) as Message[];
  if (messages.length === 0)
    return invalid("Invalid 'messages': empty array. Expected an array with minimum length 1.", 'messages');
  return checkCalls(messages) ?? checkContents(messages) ?? checkTools(body) ?? checkFormat(body, messages);
}

/** Every call needs its result right after it, and every result its call. */
function checkCalls(messages: Message[]): Problem | null {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const param = `messages.[${index}].role`;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? ''))
        return invalid(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          param,
        );
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return unanswered(open, param);
    open = (message.tool_calls ?? []).map(({ id }) => id);
    for (const [at, { function: called }] of (message.tool_calls ?? []).entries())
      if (typeof called.arguments !== 'string')
        return invalid(
          `Invalid type for 'messages[${index}].tool_calls[${at}].function.arguments': expected a string.`,
          `messages[${index}].tool_calls[${at}].function.arguments`,
          'invalid_type',
        );
  }
  return open.length > 0 ? unanswered(open, `messages.[${messages.length}].role`) : null;
}

function unanswered(ids: string[], param: string): Problem {
  return invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    param,
  );
}

function checkContents(messages: Message[]): Problem | null {
  for (const [index, { role, content, refusal, tool_calls }] of messages.entries())
    if (content == null && !(role === 'assistant' && (tool_calls?.length || refusal)))
      return invalid(
        `Invalid value for 'content': expected a string, got null.`,
        `messages.[${index}].content`,
        'invalid_type',
      );
  return null;
}

function checkTools(body: Fields): Problem | null {
  const tools = body.tools as { type: string; function: { name: string; parameters?: Fields; strict?: boolean } }[];
  if (tools === undefined) {
    const alone = ['tool_choice', 'parallel_tool_calls'].find((name) => body[name] !== undefined);
    return alone === undefined
      ? null
      : invalid(`Invalid value for '${alone}': '${alone}' is only allowed when 'tools' are specified.`, alone);
  }
  if (tools.length === 0) return invalid("Invalid 'tools': empty array.", 'tools', 'empty_array');
  for (const [index, { function: tool }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name))
      return invalid(
        `Invalid 'tools[${index}].function.name': string does not match pattern.`,
        `tools[${index}].function.name`,
      );
    const wrong = tool.parameters && checkSchema(tool.parameters, tool.strict === true);
    if (wrong)
      return invalid(`Invalid schema for function '${tool.name}': ${wrong}`, 'tools', 'invalid_function_parameters');
  }
  const { function: named } = (body.tool_choice ?? {}) as { function?: { name: string } };
  if (named && !tools.some(({ function: { name } }) => name === named.name))
    return invalid(`Tool choice '${named.name}' not found in 'tools' parameter.`, 'tool_choice');
  return null;
}

function checkFormat(body: Fields, messages: Message[]): Problem | null {
  const format = body.response_format as
    | { type: string; json_schema?: { name?: string; schema?: Fields; strict?: boolean } }
    | undefined;
  if (format?.type === 'json_object' && !messages.some(({ content }) => /json/i.test(textOf(content))))
    return invalid(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      'messages',
    );
  if (format?.type !== 'json_schema') return null;
  const { name, schema, strict } = format.json_schema ?? {};
  if (name === undefined)
    return invalid(
      "Missing required parameter: 'response_format.json_schema.name'.",
      'response_format.json_schema.name',
    );
  const wrong = schema && checkSchema(schema, strict === true);
  return wrong ? invalid(`Invalid schema for response_format '${name}': ${wrong}`, 'response_format') : null;
}

/** The rules of `strict` for objects, at any depth. */
export function checkSchema(schema: Fields, strict: boolean, at: string[] = []): string | null {
  const context = `In context=(${at.map((key) => `'${key}'`).join(', ')})`;
  if (at.length === 0 && schema.type !== 'object' && schema.anyOf === undefined && schema.$ref === undefined)
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${schema.type ?? 'None'}"'.`;
  const properties = (schema.properties ?? {}) as Record<string, Fields>;
  if (strict && schema.type === 'object') {
    if (schema.additionalProperties !== false)
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
    const required = (schema.required ?? []) as string[];
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing !== undefined)
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  const inner = [
    ...Object.entries(properties).map(([name, value]) => [value, ['properties', name]] as const),
    ...(schema.items ? [[schema.items as Fields, ['items']] as const] : []),
  ];
  for (const [value, path] of inner) {
    const wrong = checkSchema(value, strict, [...at, ...path]);
    if (wrong !== null) return wrong;
  }
  return null;
}
