import { z } from 'zod';
import { type ChatSettings, REASONING_EFFORTS } from '../chat.ts';
import { CLIENT_TOOLS, clientToolsIn, jsonSchema, MAX_RESPONSE_TOOLS, toolName } from './client-tools.ts';
import { type McpTool, mcpTool, serverLabel } from './mcp-tool.ts';

const MAX_INSTRUCTIONS = 1_000_000;

const tool = z.discriminatedUnion('type', [...CLIENT_TOOLS, mcpTool], {
  error:
    'must be `function`, `custom`, `namespace`, or `tool_search`, which you run, or `mcp`, a registered MCP server. Other tools that a server runs, such as `web_search`, are not supported.',
});

const namedFunction = z.object({ type: z.literal(['function', 'custom']), name: toolName });
const namedServer = z.object({
  type: z.literal('mcp'),
  server_label: serverLabel,
  name: z.string().min(1).max(256).nullish().describe('One of its tools. Default: any'),
});
const namedTool = z.discriminatedUnion('type', [namedFunction, namedServer], {
  error: 'must be `function`, `custom`, or `mcp`',
});
export type NamedTool = z.infer<typeof namedTool>;

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    namedFunction,
    namedServer,
    z.object({
      type: z.literal('allowed_tools'),
      mode: z.enum(['none', 'auto', 'required']).default('auto'),
      tools: z.array(namedTool).min(1).max(MAX_RESPONSE_TOOLS),
    }),
  ]),
]);

const textFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    name: toolName,
    description: z.string().max(100_000).nullish(),
    schema: jsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

/** Extra output that a client can ask for. Only the first two are supported. */
const INCLUDES = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'message.input_image.image_url',
  'file_search_call.results',
  'web_search_call.action.sources',
  'web_search_call.results',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
] as const;

export const responseInclude = z.array(z.enum(INCLUDES)).max(INCLUDES.length);

/** Options of a response, which it repeats. */
export const responseOptions = z.object({
  previous_response_id: z.string().min(1).max(200).nullish().describe('Continues the conversation of this response'),
  instructions: z.string().max(MAX_INSTRUCTIONS).nullish().describe('Apply to this response only'),
  tools: z
    .array(tool)
    .max(MAX_RESPONSE_TOOLS)
    .nullish()
    .describe('Tools that the caller runs, and registered MCP servers'),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).max(1_000).nullish().describe('Further calls are dropped'),
  text: z.object({ format: textFormat.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() }).nullish(),
  reasoning: z
    .object({
      effort: z.enum(REASONING_EFFORTS).nullish(),
      summary: z
        .enum(['auto', 'concise', 'detailed'])
        .nullish()
        .describe('Has no effect: reasoning is shown as far as the provider shows it'),
    })
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  max_output_tokens: z.int().min(1).max(1_000_000).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  truncation: z
    .enum(['auto', 'disabled'])
    .nullish()
    .describe('`auto`: leaves out the oldest items of a conversation that is too long. `disabled`: it fails.'),
  include: responseInclude.nullish(),
  background: z.boolean().nullish().describe('Returns immediately. Follow the response with `GET /responses/{id}`.'),
  store: z.boolean().nullish().describe('`false`: deletes the response once it is delivered'),
  stream: z.boolean().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  safety_identifier: z.string().max(512).nullish(),
  prompt_cache_key: z
    .string()
    .max(512)
    .nullish()
    .describe("Groups requests with the same beginning for OpenAI's prompt cache"),
  user: z.string().max(512).nullish(),
});
export type ResponseOptions = z.infer<typeof responseOptions>;
export type ResponseToolChoice = z.infer<typeof toolChoice>;

/** Maximum length of a key that OpenAI accepts. */
const MAX_CACHE_KEY = 64;

/** Returns the key for OpenAI's prompt cache. */
export function cacheKeyOf({ prompt_cache_key: key }: Pick<ResponseOptions, 'prompt_cache_key'>): string | undefined {
  return key?.slice(0, MAX_CACHE_KEY) || undefined;
}

/** Returns the registered MCP servers that a request uses. */
export function mcpToolsOf({ tools }: Pick<ResponseOptions, 'tools'>): McpTool[] {
  return (tools ?? []).filter((one) => one.type === 'mcp');
}

/** Returns the settings of a response's model call. Tools of MCP servers are not known yet. */
export function responseSettings(options: ResponseOptions): ChatSettings {
  const { tool_choice, text, reasoning, include, top_logprobs } = options;
  const functions = clientToolsIn(options.tools);
  const hasServers = mcpToolsOf(options).length > 0;
  const logprobs = (top_logprobs ?? 0) > 0 || include?.includes('message.output_text.logprobs');
  const format = text?.format;
  return withoutNulls({
    temperature: options.temperature,
    top_p: options.top_p,
    presence_penalty: options.presence_penalty,
    frequency_penalty: options.frequency_penalty,
    max_tokens: options.max_output_tokens,
    tools: functions.length > 0 ? functions.map(({ shown }) => ({ type: 'function' as const, function: shown })) : null,
    // A choice among tools of MCP servers is applied once they are known.
    tool_choice: functions.length > 0 && !hasServers ? chatToolChoice(tool_choice) : null,
    parallel_tool_calls: functions.length > 0 || hasServers ? options.parallel_tool_calls : null,
    response_format: format && format.type !== 'text' ? chatFormat(format) : null,
    verbosity: text?.verbosity,
    reasoning_effort: reasoning?.effort,
    logprobs: logprobs ? true : null,
    top_logprobs: top_logprobs ? top_logprobs : null,
    service_tier: options.service_tier,
    user: options.safety_identifier ?? options.user,
  });
}

type Nullish<T> = { [K in keyof T]?: T[K] | null | undefined };

function withoutNulls(settings: Nullish<ChatSettings>): ChatSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null)) as ChatSettings;
}

function chatToolChoice(choice: ResponseOptions['tool_choice']): ChatSettings['tool_choice'] | null {
  if (choice == null || typeof choice === 'string') return choice;
  if (choice.type === 'mcp') return null;
  if (choice.type !== 'allowed_tools') return chooseFunction(choice.name);
  const { mode, tools } = choice;
  const names = tools.flatMap((one) => (one.type === 'mcp' ? [] : one.name));
  return mode === 'none' ? mode : { type: 'allowed_tools', allowed_tools: { mode, tools: names.map(chooseFunction) } };
}

/** Returns a model's choice of one function. */
export function chooseFunction(name: string): { type: 'function'; function: { name: string } } {
  return { type: 'function', function: { name } };
}

function chatFormat(format: Exclude<z.infer<typeof textFormat>, { type: 'text' }>): ChatSettings['response_format'] {
  if (format.type === 'json_object') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}
