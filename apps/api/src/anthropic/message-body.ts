import { boundedRecord, chatRequest, functionTool, MAX_MESSAGES, MAX_TOOLS, REASONING_EFFORTS } from '@chorus/contract';
import { z } from 'zod';
import { namedModel } from '../protocols/named-model.ts';

/** Maximum number of blocks in a message, a tool result, or the system prompt. */
const MAX_BLOCKS = 1_000;

/** Maximum number of arguments of a call, and of top-level keywords of a schema. */
const MAX_FIELDS = 1_000;

const MEDIA_TYPE = 'Type of the data';

const base64 = z
  .string()
  .min(1)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, { error: 'must be base64, without a `data:` prefix or line breaks' });
const fileSource = z.object({
  type: z.literal('file'),
  file_id: z.string().min(1).max(64).describe('An uploaded file, or an asset of the scope'),
});

const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish().describe('How long it is cached') })
  .nullish()
  .describe("Anywhere in a request: whether Anthropic's models cache its prompt. Others ignore it.");
export type CacheControl = z.infer<typeof cacheControl>;
const cached = { cache_control: cacheControl };

const writtenText = z.object({ type: z.literal('text'), text: z.string() });
const textBlock = writtenText.extend(cached);
const imageBlock = z.object({
  type: z.literal('image'),
  ...cached,
  source: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']).describe(MEDIA_TYPE),
      data: base64,
    }),
    z.object({
      type: z.literal('url'),
      url: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }),
    }),
    fileSource,
  ]),
});
const withoutCitations = z
  .object({ enabled: z.literal(false, { error: 'is not supported; leave it out or set it to false' }).nullish() })
  .nullish()
  .describe('Only without effect: models of other providers cannot cite passages');
const documentBlock = z.object({
  type: z.literal('document'),
  ...cached,
  source: z.discriminatedUnion(
    'type',
    [
      z.object({
        type: z.literal('base64'),
        media_type: z.literal('application/pdf').describe(MEDIA_TYPE),
        data: base64,
      }),
      z.object({ type: z.literal('text'), media_type: z.literal('text/plain').describe(MEDIA_TYPE), data: z.string() }),
      z.object({
        type: z.literal('content'),
        content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock])).max(MAX_BLOCKS)]),
      }),
      fileSource,
    ],
    { error: 'must be of type base64, text, content, or file; documents at URLs are not supported' },
  ),
  title: z.string().max(500).nullish(),
  context: z.string().nullish().describe('Facts about the document, which the model sees with it'),
  citations: withoutCitations,
});
const searchResultBlock = z.object({
  type: z.literal('search_result'),
  ...cached,
  source: z.string().describe('Where it was found, such as a URL'),
  title: z.string(),
  content: z.array(textBlock).max(MAX_BLOCKS),
  citations: withoutCitations,
});
const toolReference = z.object({
  type: z.literal('tool_reference'),
  ...cached,
  tool_name: z.string().min(1).max(256).describe('A tool with `defer_loading` that the model may now call'),
});
const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  ...cached,
  tool_use_id: z.string().min(1).max(256).describe('The call that this answers'),
  content: z
    .union([
      z.string(),
      z
        .array(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolReference]))
        .max(MAX_BLOCKS),
    ])
    .nullish(),
  is_error: z.boolean().nullish().describe('Whether the tool failed. The model then sees `Error:` before the result.'),
});

const writtenCall = z.object({
  type: z.literal('tool_use'),
  id: z.string().min(1).max(256),
  name: z.string().min(1).max(256),
  input: boundedRecord(z.string(), z.unknown(), MAX_FIELDS).describe('Arguments of the call'),
});
const toolUseBlock = writtenCall.extend(cached);
const thinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: z.string().describe('What the model thought, as far as the provider shows it'),
  signature: z.string().nullish().describe('Opaque data of the provider. Send it back with the block.'),
});
const redactedBlock = z.object({
  type: z.literal('redacted_thinking'),
  data: z.string().describe('Thinking that the provider does not show. Send it back with the message.'),
});

const userBlock = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  searchResultBlock,
  toolResultBlock,
]);
export type UserBlock = z.infer<typeof userBlock>;
const assistantBlock = z.discriminatedUnion('type', [textBlock, toolUseBlock, thinkingBlock, redactedBlock]);
export type AssistantBlock = z.infer<typeof assistantBlock>;

/** A block of a message that Chorus writes. */
export const contentBlock = z.discriminatedUnion('type', [
  writtenText,
  writtenCall,
  thinkingBlock.extend({ signature: z.string().describe(thinkingBlock.shape.signature.description ?? '') }),
  redactedBlock,
]);
export type ContentBlock = z.infer<typeof contentBlock>;

const { name, description } = functionTool.shape.function.shape;
const tool = z.object({
  ...cached,
  type: z
    .literal('custom', { error: 'must be custom or absent; tools that Anthropic runs or defines are not supported' })
    .nullish(),
  name,
  description,
  input_schema: functionTool.shape.function.shape.parameters.unwrap().unwrap().describe('A JSON Schema'),
  strict: z.boolean().nullish(),
  defer_loading: z
    .boolean()
    .nullish()
    .describe('Whether the model sees the tool only after a `tool_reference` or `tool_addition` names it'),
});
export type AnthropicTool = z.infer<typeof tool>;

const namedTool = z.object({ type: z.literal('tool_reference'), name: z.string().min(1).max(256) });
const toolAddition = z.object({
  type: z.literal('tool_addition'),
  ...cached,
  tool: z
    .discriminatedUnion('type', [
      namedTool,
      z.object({ type: z.literal('tool_definition'), definition: tool.describe('A further tool') }),
    ])
    .describe('The tool that the model may call from here on'),
});
const toolRemoval = z.object({
  type: z.literal('tool_removal'),
  ...cached,
  tool: namedTool.describe('The tool that the model may no longer call'),
});

const systemText = z.union([z.string(), z.array(textBlock).max(MAX_BLOCKS)]);
const systemBlock = z.discriminatedUnion('type', [textBlock, toolAddition, toolRemoval]);

export const messageParam = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(userBlock).min(1).max(MAX_BLOCKS)]) }),
  z.object({ role: z.literal('assistant'), content: z.union([z.string(), z.array(assistantBlock).max(MAX_BLOCKS)]) }),
  z.object({
    role: z.literal('system'),
    content: z.union([z.string(), z.array(systemBlock).max(MAX_BLOCKS)]).nullish(),
    clear_at: z
      .enum(['next_user_message', 'never'])
      .nullish()
      .describe('`next_user_message`: the model no longer sees it once a message of the user follows'),
  }),
]);
export type AnthropicMessage = z.infer<typeof messageParam>;

const parallel = {
  disable_parallel_tool_use: z.boolean().nullish().describe('Whether the model may call only one tool at a time'),
};
const toolChoice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auto'), ...parallel }),
  z.object({ type: z.literal('any'), ...parallel }),
  z.object({ type: z.literal('tool'), name, ...parallel }),
  z.object({ type: z.literal('none') }),
]);

const display = {
  display: z
    .enum(['summarized', 'omitted', 'updates'])
    .nullish()
    .describe("`omitted`: blocks of thinking have only a signature. `updates` is for Anthropic's models."),
};
const thinking = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1_024).max(1_000_000).describe('How many tokens the model may think'),
    ...display,
  }),
  z.object({ type: z.literal('adaptive'), ...display }),
  z.object({ type: z.literal('between_tools') }),
  z.object({ type: z.literal('disabled') }),
]);

const EFFORTS = [...REASONING_EFFORTS.filter((effort) => effort !== 'none' && effort !== 'minimal'), 'max'] as const;

const { temperature, top_p } = chatRequest.shape;

/** The parts of a request that count as its input. */
export const countedBody = z.looseObject({
  ...cached,
  model: namedModel,
  messages: z.array(messageParam).min(1).max(MAX_MESSAGES),
  system: systemText.nullish().describe('Instructions for the model'),
  tools: z.array(tool).max(MAX_TOOLS).nullish().describe('Functions that the model may call and the caller runs'),
  tool_choice: toolChoice.nullish(),
  thinking: thinking
    .nullish()
    .describe('How much the model thinks. For other providers, the budget becomes low, medium, or high effort.'),
  output_config: z
    .object({
      effort: z.enum(EFFORTS).nullish(),
      format: z
        .object({ type: z.literal('json_schema'), schema: boundedRecord(z.string(), z.unknown(), MAX_FIELDS) })
        .nullish()
        .describe('The form of the answer, as a JSON Schema'),
    })
    .nullish()
    .describe('Effort and form of the answer'),
});
export type CountedBody = z.infer<typeof countedBody>;

/** The body of `POST /v1/messages`. Other fields that do not change the answer are ignored. */
export const messageBody = countedBody.extend({
  max_tokens: z.int().min(1).max(1_000_000),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).max(8).nullish().describe('Texts at which the answer ends'),
  temperature,
  top_p,
  top_k: z.int().min(0).max(1_000_000).nullish().describe('Only for models that can limit choices in this way'),
  metadata: z
    .object({ user_id: z.string().max(512).nullish().describe("The caller's identifier of its end user") })
    .nullish()
    .describe('Who the request is for'),
  service_tier: z.enum(['auto', 'standard_only']).nullish(),
});
export type MessageBody = z.infer<typeof messageBody>;
