import { z } from 'zod';
import { clientTools } from './client-tools.ts';
import { serverLabel } from './mcp-tool.ts';

/** Maximum number of items of a conversation, and of parts of a message. */
export const MAX_RESPONSE_ITEMS = 2_000;
const MAX_PARTS = 1_000;

const fileId = z.string().regex(/^(file-|ast_)\w{1,64}$/, { error: 'must be an id such as file-… or ast_…' });

const inputText = z.object({ type: z.literal('input_text'), text: z.string() });
const inputImage = z
  .object({
    type: z.literal('input_image'),
    image_url: z.string().min(1).nullish().describe('`https://…` or a `data:` URL'),
    file_id: fileId.nullish().describe('An uploaded image, or an asset of the scope'),
    detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
  })
  .refine(({ image_url, file_id }) => (image_url == null) !== (file_id == null), {
    path: ['image_url'],
    error: 'either `image_url` or `file_id` is required',
  });
const inputFile = z
  .object({
    type: z.literal('input_file'),
    file_data: z.string().min(1).nullish().describe('A `data:` URL, or base64 of a PDF'),
    file_id: fileId.nullish().describe('An uploaded file, or an asset of the scope'),
    file_url: z.null({ error: 'is not supported; send `file_data` or `file_id`' }).optional(),
    filename: z.string().max(255).nullish(),
  })
  .refine(({ file_data, file_id }) => (file_data == null) !== (file_id == null), {
    path: ['file_data'],
    error: 'either `file_data` or `file_id` is required',
  });
const inputAudio = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string().min(1).describe('base64'), format: z.enum(['wav', 'mp3']) }),
});
const outputText = z.object({ type: z.literal('output_text'), text: z.string() });
const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });

const contentOf = <T extends z.ZodType>(part: T) => z.union([z.string(), z.array(part).max(MAX_PARTS)]);
const userPart = z.discriminatedUnion('type', [inputText, inputImage, inputFile, inputAudio]);
const outputPart = z.discriminatedUnion('type', [inputText, inputImage, inputFile]);

/** An item's id, if the client repeats an item that it has received. */
const id = z.string().min(1).max(256).nullish();
const status = z.string().max(32).nullish();
const callId = z.string().min(1).max(256);

/** Absent: the item is a message, as in OpenAI's short form. */
const type = z.literal('message').optional();

const message = z.discriminatedUnion('role', [
  z.object({
    type,
    id,
    status,
    role: z.enum(['system', 'developer']),
    content: contentOf(z.discriminatedUnion('type', [inputText])),
  }),
  z.object({ type, id, status, role: z.literal('user'), content: contentOf(userPart) }),
  z.object({
    type,
    id,
    status,
    role: z.literal('assistant'),
    content: contentOf(z.discriminatedUnion('type', [outputText, refusal])),
    phase: z.enum(['commentary', 'final_answer']).nullish().describe('Kept with the item, without effect'),
  }),
]);

const namespace = z.string().min(1).max(256).nullish().describe('The namespace of the tool');

const functionCall = z.object({
  type: z.literal('function_call'),
  id,
  status,
  call_id: callId,
  name: z.string().min(1).max(256),
  namespace,
  arguments: z.string().describe('JSON, as the model wrote it. It may be invalid.'),
});

const functionCallOutput = z.object({
  type: z.literal('function_call_output'),
  id,
  status,
  call_id: callId,
  output: contentOf(outputPart),
});

const customToolCall = functionCall.omit({ arguments: true }).extend({
  type: z.literal('custom_tool_call'),
  input: z.string().describe('What the model wrote'),
});

const customToolCallOutput = functionCallOutput.extend({ type: z.literal('custom_tool_call_output') });

const toolSearchCall = z.object({
  type: z.literal('tool_search_call'),
  id,
  status,
  call_id: callId,
  execution: z.literal('client').nullish(),
  arguments: z.unknown().describe('Arguments of the search'),
});

const toolSearchOutput = toolSearchCall.omit({ arguments: true }).extend({
  type: z.literal('tool_search_output'),
  tools: clientTools.describe('Tools that the model may call from here on'),
});

const additionalTools = z.object({
  type: z.literal('additional_tools'),
  id,
  role: z.literal('developer'),
  tools: clientTools.describe('Tools that the model may call, besides `tools`'),
});

const reasoning = z.object({
  type: z.literal('reasoning'),
  id,
  status,
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })).max(MAX_PARTS),
  content: z
    .array(z.object({ type: z.literal('reasoning_text'), text: z.string() }))
    .max(MAX_PARTS)
    .nullish(),
  encrypted_content: z.string().nullish().describe('Opaque data of the provider'),
});

/** An item of a tool that runs on the server has an id, since others refer to it. */
const itemId = z.string().min(1).max(256);

const mcpListTools = z.object({
  type: z.literal('mcp_list_tools'),
  id,
  server_label: serverLabel,
  tools: z.array(z.looseObject({ name: z.string().max(256) })).max(MAX_RESPONSE_ITEMS),
  error: z.string().nullish(),
});

const mcpCall = z.object({
  type: z.literal('mcp_call'),
  id: itemId,
  status,
  server_label: serverLabel,
  name: z.string().min(1).max(256),
  arguments: z.string(),
  output: z.string().nullish(),
  error: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  approval_request_id: itemId.nullish(),
});

const mcpApprovalRequest = z.object({
  type: z.literal('mcp_approval_request'),
  id: itemId,
  server_label: serverLabel,
  name: z.string().min(1).max(256),
  arguments: z.string(),
});

const mcpApprovalResponse = z.object({
  type: z.literal('mcp_approval_response'),
  id,
  approval_request_id: itemId,
  approve: z.boolean(),
  reason: z.string().max(2_000).nullish().describe('For the model, if the call is denied'),
});

const itemReference = z.object({
  type: z.literal(['item_reference', null]),
  id: z.string().min(1).max(256).describe('An item of an earlier response'),
});

/** An item of a request's input. */
export const inputItem = z.discriminatedUnion('type', [
  message,
  functionCall,
  functionCallOutput,
  customToolCall,
  customToolCallOutput,
  toolSearchCall,
  toolSearchOutput,
  additionalTools,
  reasoning,
  mcpListTools,
  mcpCall,
  mcpApprovalRequest,
  mcpApprovalResponse,
  itemReference,
]);
export type InputItem = z.infer<typeof inputItem>;

/** Opaque data of the provider that belongs to a stored call. */
const signature = z.string().optional();
const storedCall = functionCall.extend({ signature });

/** An item of a stored conversation. References are resolved. */
export const conversationItem = z.discriminatedUnion('type', [
  message,
  storedCall,
  functionCallOutput,
  customToolCall.extend({ signature }),
  customToolCallOutput,
  toolSearchCall.extend({ signature }),
  toolSearchOutput,
  additionalTools,
  reasoning,
  mcpListTools,
  mcpCall.extend({ signature }),
  mcpApprovalRequest.extend({ signature }),
  mcpApprovalResponse,
]);
export type ConversationItem = z.infer<typeof conversationItem>;

/** A call of a tool that the caller runs, in a stored conversation. */
export type ClientCall = Extract<ConversationItem, { type: (typeof CALL_TYPES)[number] }>;
const CALL_TYPES = ['function_call', 'custom_tool_call', 'tool_search_call'] as const;

export function isClientCall(item: ConversationItem): item is ClientCall {
  return CALL_TYPES.some((type) => type === item.type);
}

/** The result of such a call. */
export type ClientCallOutput = Extract<ConversationItem, { type: (typeof OUTPUT_TYPES)[number] }>;
const OUTPUT_TYPES = ['function_call_output', 'custom_tool_call_output', 'tool_search_output'] as const;

export function isClientCallOutput(item: ConversationItem): item is ClientCallOutput {
  return OUTPUT_TYPES.some((type) => type === item.type);
}

export type ConversationMessage = z.infer<typeof message>;
