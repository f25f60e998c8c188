import { z } from 'zod';
import { boundedRecord } from '../bounded.ts';
import { type ChatSettings, REASONING_EFFORTS } from '../chat.ts';

const MAX_TOOLS = 128;
const MAX_INSTRUCTIONS = 1_000_000;
const functionName = z
  .string()
  .regex(/^[\w-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, underscores or dashes' });
const jsonSchema = boundedRecord(z.string(), z.unknown(), 1_000);

const tool = z.object({
  type: z.literal('function', {
    error:
      'must be `function`: a function that you run. Tools that the server runs, and custom tools, are not supported.',
  }),
  name: functionName,
  description: z.string().max(100_000).nullish(),
  parameters: jsonSchema.nullish().describe('A JSON Schema'),
  strict: z.boolean().nullish(),
});

const namedFunction = z.object({
  type: z.literal('function', { error: 'must be `function`' }),
  name: functionName,
});

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    namedFunction,
    z.object({
      type: z.literal('allowed_tools'),
      mode: z.enum(['none', 'auto', 'required']).default('auto'),
      tools: z.array(namedFunction).min(1).max(MAX_TOOLS),
    }),
  ]),
]);

const textFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    name: functionName,
    description: z.string().max(100_000).nullish(),
    schema: jsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

/** Extra output that a client can ask for. Only the first two exist here. */
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
  tools: z.array(tool).max(MAX_TOOLS).nullish().describe('Functions that the caller runs'),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).max(1_000).nullish().describe('Further calls are left out'),
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
  background: z.boolean().nullish().describe('Answers at once. Follow the response with `GET /responses/{id}`.'),
  store: z.boolean().nullish().describe('`false`: deletes the response once it is delivered'),
  stream: z.boolean().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  safety_identifier: z.string().max(512).nullish(),
  prompt_cache_key: z.string().max(512).nullish(),
  user: z.string().max(512).nullish(),
});
export type ResponseOptions = z.infer<typeof responseOptions>;
export type ResponseToolChoice = z.infer<typeof toolChoice>;

/** Returns the settings of the model call that a response makes. */
export function responseSettings(options: ResponseOptions): ChatSettings {
  const { tools, tool_choice, text, reasoning, include, top_logprobs } = options;
  const logprobs = (top_logprobs ?? 0) > 0 || include?.includes('message.output_text.logprobs');
  const format = text?.format;
  return withoutNulls({
    temperature: options.temperature,
    top_p: options.top_p,
    presence_penalty: options.presence_penalty,
    frequency_penalty: options.frequency_penalty,
    max_tokens: options.max_output_tokens,
    tools: tools?.length ? tools.map(({ type, ...fields }) => ({ type, function: fields })) : null,
    tool_choice: tools?.length ? chatToolChoice(tool_choice) : null,
    parallel_tool_calls: tools?.length ? options.parallel_tool_calls : null,
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
  const asChat = ({ name }: { name: string }) => ({ type: 'function' as const, function: { name } });
  if (choice.type === 'function') return asChat(choice);
  const { mode, tools } = choice;
  return mode === 'none' ? mode : { type: 'allowed_tools', allowed_tools: { mode, tools: tools.map(asChat) } };
}

function chatFormat(format: Exclude<z.infer<typeof textFormat>, { type: 'text' }>): ChatSettings['response_format'] {
  if (format.type === 'json_object') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}
