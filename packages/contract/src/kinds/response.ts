import { z } from 'zod';
import { boundedRecord } from '../bounded.ts';
import { MAX_FALLBACKS } from '../chat.ts';
import { defineKind } from '../define-kind.ts';
import { mostTokens } from '../demand.ts';
import { answerItem } from '../execution.ts';
import { metadata } from '../metadata.ts';
import { MAX_RESPONSE_TOOLS } from '../responses/client-tools.ts';
import { type ConversationItem, conversationItem, inputItem, MAX_RESPONSE_ITEMS } from '../responses/input-items.ts';
import { responseOptions } from '../responses/response-options.ts';
import { webhookUrl } from '../webhooks.ts';

/** Refused fields of OpenAI's APIs, which would change the response, with the alternative if there is one. */
const REFUSED: Readonly<Record<string, string>> = {
  conversation: 'is not supported; use `previous_response_id`',
  prompt: 'is not supported; send `instructions` and `input`',
  context_management: 'is not supported; use `truncation`',
  messages: 'is not a field of responses; use `input`',
  response_format: 'is not a field of responses; use `text.format`',
  reasoning_effort: 'is not a field of responses; use `reasoning.effort`',
  verbosity: 'is not a field of responses; use `text.verbosity`',
  max_tokens: 'is not a field of responses; use `max_output_tokens`',
  max_completion_tokens: 'is not a field of responses; use `max_output_tokens`',
  functions: 'is not a field of responses; use `tools`',
  function_call: 'is not a field of responses; use `tool_choice`',
  stop: 'is not supported',
  seed: 'is not supported',
  n: 'is not supported',
  logit_bias: 'is not supported',
  logprobs: 'is not a field of responses; use `include` and `top_logprobs`',
  modalities: 'is not supported',
  audio: 'is not supported',
  top_k: 'is not supported',
  min_p: 'is not supported',
};

/** `POST /responses`, as OpenAI's clients send it. Other fields are ignored and named in `X-Ignored-Fields`. */
export const responseRequest = z
  .looseObject({
    model: z.string().min(1).max(200).nullish().describe('`provider/model`. Default: the configured model'),
    input: z
      .union([z.string(), z.array(inputItem).max(MAX_RESPONSE_ITEMS)])
      .nullish()
      .describe('A message of the user, or items'),
    ...responseOptions.shape,
    stream_options: z
      .looseObject({ include_obfuscation: z.boolean().optional() })
      .nullish()
      .describe('Has no effect: events are not padded'),
    metadata: metadata.nullish(),
    webhook_url: webhookUrl.nullish(),
  })
  .superRefine((body, context) => {
    const complain = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    for (const [name, message] of Object.entries(REFUSED)) if (body[name] != null) complain([name], message);
    const { input, previous_response_id, tools, tool_choice } = body;
    if ((input == null || input.length === 0) && previous_response_id == null)
      complain(['input'], 'is required, unless `previous_response_id` is given');
    if (body.background && body.store === false)
      complain(['background'], 'requires `store`: the response must be stored until it is retrieved');
    const known = new Set<string>();
    for (const [index, tool] of (tools ?? []).entries()) {
      const [field, key] = keyOf(tool);
      if (known.has(key)) complain(['tools', index, field], 'must be unique');
      known.add(key);
    }
    if (tool_choice === 'required' && known.size === 0) complain(['tool_choice'], 'requires `tools`');
    if (typeof tool_choice !== 'object' || tool_choice === null) return;
    const isList = tool_choice.type === 'allowed_tools';
    for (const [index, tool] of (isList ? tool_choice.tools : [tool_choice]).entries()) {
      const [field, key] = keyOf(tool);
      const at = isList ? ['tool_choice', 'tools', index, field] : ['tool_choice', field];
      if (!known.has(key)) complain(at, `must name one of \`tools\``);
    }
  });
type ChosenTool =
  | { type: 'function' | 'custom' | 'namespace'; name: string }
  | { type: 'mcp'; server_label: string }
  | { type: 'tool_search' };

/** Returns the field that identifies a tool, and what it identifies. */
function keyOf(tool: ChosenTool): ['name' | 'server_label' | 'type', string] {
  switch (tool.type) {
    case 'mcp':
      return ['server_label', `mcp ${tool.server_label}`];
    case 'tool_search':
      return ['type', tool.type];
    case 'namespace':
      return ['name', `namespace ${tool.name}`];
    default:
      return ['name', `function ${tool.name}`];
  }
}

export type ResponseRequest = z.infer<typeof responseRequest>;

const batchItem = responseRequest.superRefine(({ background }, context) => {
  if (background) context.addIssue({ code: 'custom', path: ['background'], message: 'is not supported in a batch' });
});

/** Returns the text of a user's message. Empty: it has none. */
function questionOf(item: ConversationItem): string {
  if (!('role' in item) || item.role !== 'user') return '';
  if (typeof item.content === 'string') return item.content;
  return item.content
    .map((part) => (part.type === 'input_text' ? part.text : ''))
    .join(' ')
    .trim();
}

/** A response of OpenAI's Responses API. */
export const response = defineKind({
  kind: 'response',
  surface: 'chat',
  pool: 'text',
  label: 'Response',
  path: '/responses',
  route: {
    summary: "Run a response of OpenAI's Responses API",
    description:
      "The body is that of `POST /openai/v1/responses`; the answer is an execution. Programs that use OpenAI's clients should call that route.",
    answerHeaders: { 'X-Ignored-Fields': 'Names of ignored fields.' },
    refuses: ['not_found'],
  },
  request: responseRequest,
  // Not strict, so that workers accept jobs of a newer API during an upgrade.
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    fallbacks: z.array(z.string()).max(MAX_FALLBACKS).optional(),
    /** The whole conversation, so that earlier responses can be deleted. */
    items: z.array(conversationItem).max(MAX_RESPONSE_ITEMS),
    options: responseOptions,
    /** Ids of the registered MCP servers, by their labels in `options.tools`. Absent: none. */
    servers: boundedRecord(z.string(), z.string(), MAX_RESPONSE_TOOLS).optional(),
  }),
  output: answerItem,
  subjectOf: ({ items }) => items?.map(questionOf).findLast((text) => text !== ''),
  capability: 'chat',
  // Tools of servers are called from here, and may take longer than the model.
  usesPlace: ({ servers }) => servers !== undefined,
  timeoutMs: 600_000,
  demand: ({ model, fallbacks = [], items, options: { instructions, tools, max_output_tokens } }) => ({
    of: 'tokens',
    models: [model, ...fallbacks],
    input: mostTokens([instructions ?? '', tools ?? [], items]),
    output: max_output_tokens ?? null,
  }),
  repeats: ['model', 'options'],
  isTransient: ({ options }) => options?.store === false,
  economy: {
    refuses: ({ tools }) => (tools?.some(({ type }) => type === 'mcp') ? 'tools' : null),
    fits: ({ servers }) => servers === undefined,
  },
  batchable: batchItem,
});
export type ResponseInput = z.infer<typeof response.input>;
