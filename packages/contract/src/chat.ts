import { z } from 'zod';
import { boundedRecord } from './bounded.ts';
import { providerOptions } from './provider-options.ts';

/** Maximum number of images and documents of a message. */
export const MAX_ATTACHMENTS = 8;

/** Maximum number of messages, of parts per message, and of tool calls per message. */
export const MAX_MESSAGES = 2_000;
const MAX_PARTS = 1_000;
const MAX_TOOL_CALLS = 1_000;

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    url: z.string().min(1).describe('A `data:` URL, an address, or the id of an asset'),
    detail: z.enum(['auto', 'low', 'high', 'original']).nullish().describe('`original` has the effect of `high`'),
  }),
});
const audioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({
    data: z.string().min(1).describe('base64, or the id of an asset'),
    format: z.enum(['wav', 'mp3']),
  }),
});
const filePart = z.object({
  type: z.literal('file'),
  file: z
    .object({
      file_data: z.string().min(1).nullish().describe('A `data:` URL, or base64 of a PDF'),
      file_id: z.string().min(1).max(64).nullish().describe('An uploaded file, or an asset of the scope'),
      filename: z.string().max(255).nullish(),
    })
    .refine(({ file_data, file_id }) => (file_data == null) !== (file_id == null), {
      error: 'needs either `file_data` or `file_id`',
    }),
});
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });

const partsOf = <T extends z.ZodType>(part: T, types: string) =>
  z.union([z.string(), z.array(part).min(1).max(MAX_PARTS)], {
    error: `must be a string or a list of parts of type ${types}`,
  });
const texts = partsOf(z.discriminatedUnion('type', [textPart]), 'text');

/** A function call, as a model requests it and as the caller sends it back. */
export const toolCall = z.object({
  id: z.string().min(1).max(256),
  type: z.literal('function').default('function'),
  function: z.object({
    name: z.string().min(1).max(256),
    arguments: z.string().describe('JSON, as the model wrote it. It may be invalid.'),
  }),
  signature: z.string().optional().describe('Opaque data of the provider. Send it back with the call.'),
});
export type ToolCall = z.infer<typeof toolCall>;

const MAX_REASONING_BLOCKS = 1_000;

/** A block of reasoning, with opaque data of the provider that belongs to it. */
export const reasoningBlock = z.object({ text: z.string(), signature: z.string().optional() });
export type ReasoningBlock = z.infer<typeof reasoningBlock>;

/** A message in OpenAI's form. */
export const chatMessage = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: texts, name: z.string().nullish() }),
  z.object({
    role: z.literal('user'),
    content: partsOf(
      z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart]),
      'text, image_url, input_audio or file',
    ),
    name: z.string().nullish(),
  }),
  z.object({
    role: z.literal('assistant'),
    content: partsOf(z.discriminatedUnion('type', [textPart, refusalPart]), 'text or refusal').nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    reasoning_signature: z.string().nullish().describe('Opaque data of the provider that belongs to the reasoning'),
    reasoning_blocks: z
      .array(reasoningBlock)
      .max(MAX_REASONING_BLOCKS)
      .nullish()
      .describe('The reasoning, if it has several signatures. It replaces `reasoning_content`.'),
    tool_calls: z.array(toolCall).max(MAX_TOOL_CALLS).nullish(),
    name: z.string().nullish(),
  }),
  z.object({ role: z.literal('tool'), content: texts, tool_call_id: z.string().min(1).max(256) }),
]);
export type ChatMessage = z.infer<typeof chatMessage>;
export type ChatMessagePart = Exclude<NonNullable<ChatMessage['content']>, string>[number];

/** Returns a message's text, with its parts joined by line breaks. */
export function messageText({ content }: Pick<ChatMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns the reasoning of an assistant's message, in order. */
export function reasoningOf(message: Extract<ChatMessage, { role: 'assistant' }>): ReasoningBlock[] {
  const { reasoning_blocks, reasoning_content: text, reasoning_signature: signature } = message;
  if (reasoning_blocks != null) return reasoning_blocks;
  if (text == null && signature == null) return [];
  return [{ text: text ?? '', ...(signature != null && { signature }) }];
}

/** The reasoning of an assistant's message. */
export interface ReasoningFields {
  reasoning_content?: string;
  reasoning_signature?: string;
  reasoning_blocks?: ReasoningBlock[];
}

export function reasoningFields(blocks: readonly ReasoningBlock[]): ReasoningFields {
  if (blocks.length === 0) return {};
  const reasoning_content = blocks.map(({ text }) => text).join('');
  const signature = blocks.find((block) => block.signature !== undefined)?.signature;
  if (signature === undefined) return { reasoning_content };
  return blocks.length === 1
    ? { reasoning_content, reasoning_signature: signature }
    : { reasoning_content, reasoning_blocks: [...blocks] };
}

/** A message as clients send it, including OpenAI's deprecated function calls, which are refused. */
export const openAiMessage = z.discriminatedUnion('role', [
  ...chatMessage.options,
  z.object({ role: z.literal('function'), content: z.unknown().optional() }),
]);
export type OpenAiMessage = z.infer<typeof openAiMessage>;

/** Maximum number of tools of a request. Some providers accept only 128. */
export const MAX_TOOLS = 1_000;
const toolName = z.string().regex(/^[\w-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, underscores or dashes' });
const jsonSchema = boundedRecord(z.string(), z.unknown(), 1_000);

/** A function that the caller runs. */
export const functionTool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: toolName,
    description: z.string().max(100_000).nullish(),
    parameters: jsonSchema.nullish().describe('A JSON Schema'),
    strict: z.boolean().nullish(),
  }),
});
export type FunctionTool = z.infer<typeof functionTool>;

const namedFunction = z.object({ type: z.literal('function'), function: z.object({ name: toolName }) });

/** Which tools the model may or must call. */
export const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    namedFunction,
    z.object({
      type: z.literal('allowed_tools'),
      allowed_tools: z.object({
        mode: z.enum(['auto', 'required']),
        tools: z.array(namedFunction).min(1).max(MAX_TOOLS),
      }),
    }),
  ],
  { error: 'must be none, auto, required, a function, or allowed_tools' },
);
export type ToolChoice = z.infer<typeof toolChoice>;

export const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: toolName,
      description: z.string().max(100_000).nullish(),
      schema: jsonSchema.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);
export type ResponseFormat = z.infer<typeof responseFormat>;

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** Maximum number of fallback models, of an agent or in `FALLBACKS`. */
export const MAX_FALLBACKS = 100;

/** Settings of a model call. Absent: the provider's default. */
export const chatSettings = z.strictObject({
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().optional(),
  stop: z.array(z.string()).max(8).optional(),
  seed: z.int().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  tools: z.array(functionTool).max(MAX_TOOLS).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  reasoning_effort: z.enum(REASONING_EFFORTS).optional(),
  verbosity: z.enum(['low', 'medium', 'high']).optional(),
  logprobs: z.boolean().optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  logit_bias: boundedRecord(z.string().max(16), z.number().min(-100).max(100), 1_024).optional(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).optional(),
  /** The caller's own identifier of its end user. */
  user: z.string().max(512).optional(),
  provider_options: providerOptions.optional(),
});
export type ChatSettings = z.infer<typeof chatSettings>;
export type SettingName = keyof ChatSettings;

/** A token of the answer, with its probability. */
export const tokenLogprob = z.object({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()).max(64).nullable(),
  top_logprobs: z
    .array(z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).max(64).nullable() }))
    .max(20),
});
export type TokenLogprob = z.infer<typeof tokenLogprob>;
