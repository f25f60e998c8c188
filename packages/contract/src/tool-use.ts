import type { FunctionTool, OpenAiMessage, ResponseFormat, ToolChoice } from './chat.ts';

/** The fields of a request about tools and the form of the answer. */
export interface ToolFields {
  tools?: readonly FunctionTool[] | null | undefined;
  tool_choice?: ToolChoice | null | undefined;
  parallel_tool_calls?: boolean | null | undefined;
  response_format?: ResponseFormat | null | undefined;
  logprobs?: boolean | null | undefined;
  top_logprobs?: number | null | undefined;
}

export interface FieldIssue {
  path: (string | number)[];
  message: string;
}

/** Finds contradictory settings in a request. */
export function toolIssues(request: ToolFields): FieldIssue[] {
  const { tool_choice: choice, parallel_tool_calls, response_format: format, logprobs, top_logprobs } = request;
  const names = (request.tools ?? []).map((tool) => tool.function.name);
  const issues: FieldIssue[] = [];
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      issues.push({ path: ['tools', index, 'function', 'name'], message: 'must be unique' });
  if (names.length === 0) {
    if (choice != null && choice !== 'none' && choice !== 'auto')
      issues.push({ path: ['tool_choice'], message: 'requires `tools`' });
    if (parallel_tool_calls === false) issues.push({ path: ['parallel_tool_calls'], message: 'requires `tools`' });
  } else if (choice != null && typeof choice === 'object') {
    for (const { path, name } of chosenNames(choice))
      if (!names.includes(name))
        issues.push({ path: ['tool_choice', ...path], message: `must name one of the tools: ${listOf(names)}` });
  }
  if (format?.type === 'json_schema' && format.json_schema.schema == null)
    issues.push({ path: ['response_format', 'json_schema', 'schema'], message: 'is required' });
  if ((top_logprobs ?? 0) > 0 && logprobs !== true)
    issues.push({ path: ['top_logprobs'], message: 'requires `logprobs: true`' });
  return issues;
}

function chosenNames(choice: Exclude<ToolChoice, string>): { path: (string | number)[]; name: string }[] {
  if (choice.type === 'function') return [{ path: ['function', 'name'], name: choice.function.name }];
  return choice.allowed_tools.tools.map((tool, index) => ({
    path: ['allowed_tools', 'tools', index, 'function', 'name'],
    name: tool.function.name,
  }));
}

/** Finds tool calls without results, and results without calls. Providers refuse both. */
export function toolMessageIssues(messages: readonly OpenAiMessage[]): FieldIssue[] {
  const issues: FieldIssue[] = [];
  /** Calls of the last assistant message without a result yet, by id. */
  let open = new Map<string, (string | number)[]>();
  let answered = new Set<string>();
  const close = () => {
    for (const [id, path] of open)
      issues.push({ path, message: `has no result: no message has tool_call_id \`${id}\`` });
    open = new Map();
    answered = new Set();
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const { tool_call_id: id } = message;
      const path = ['messages', index, 'tool_call_id'];
      if (open.delete(id)) answered.add(id);
      else if (answered.has(id)) issues.push({ path, message: 'is the second result of this call' });
      else issues.push({ path, message: 'must be the id of a tool call in the assistant message before it' });
      continue;
    }
    close();
    if (message.role !== 'assistant') continue;
    for (const [at, { id }] of (message.tool_calls ?? []).entries()) {
      const path = ['messages', index, 'tool_calls', at, 'id'];
      if (open.has(id)) issues.push({ path, message: 'must be unique' });
      else open.set(id, path);
    }
  }
  close();
  return issues;
}

const MAX_LISTED = 20;

function listOf(names: readonly string[]): string {
  return `${names.slice(0, MAX_LISTED).join(', ')}${names.length > MAX_LISTED ? ', …' : ''}`;
}
