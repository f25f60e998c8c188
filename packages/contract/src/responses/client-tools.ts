import { z } from 'zod';
import { boundedRecord } from '../bounded.ts';
import type { FunctionTool } from '../chat.ts';

/** Maximum number of tools of a request, and of a namespace. */
export const MAX_RESPONSE_TOOLS = 128;

export const toolName = z
  .string()
  .regex(/^[\w-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, underscores or dashes' });
export const jsonSchema = boundedRecord(z.string(), z.unknown(), 1_000);
const description = z.string().max(100_000).nullish();

const functionTool = z.object({
  type: z.literal('function'),
  name: toolName,
  description,
  parameters: jsonSchema.nullish().describe('A JSON Schema'),
  strict: z.boolean().nullish(),
});

const customTool = z.object({
  type: z.literal('custom'),
  name: toolName,
  description,
  format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({
        type: z.literal('grammar'),
        syntax: z.enum(['lark', 'regex']),
        definition: z.string().max(100_000).describe('The model sees it, but may write something else'),
      }),
    ])
    .nullish()
    .describe('The form of its input. Default: any text'),
});

const namespaceTool = z.object({
  type: z.literal('namespace'),
  name: toolName,
  description,
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])).max(MAX_RESPONSE_TOOLS),
});

const toolSearch = z.object({
  type: z.literal('tool_search'),
  execution: z.literal('client', { error: 'must be `client`: the server has no tools to search' }),
  description,
  parameters: jsonSchema.nullish().describe('A JSON Schema'),
});

/** Tools that the caller runs. */
export const CLIENT_TOOLS = [functionTool, customTool, namespaceTool, toolSearch] as const;
export const clientTools = z.array(z.discriminatedUnion('type', CLIENT_TOOLS)).max(MAX_RESPONSE_TOOLS);
type GivenTool = z.infer<typeof clientTools>[number];

/** A call's tool, by its name and the namespace that has it. */
export interface CalledTool {
  type: 'function' | 'custom' | 'tool_search';
  name: string;
  namespace?: string | undefined;
}

/** A tool that the caller runs, with the function that models see instead. */
export interface ClientTool extends CalledTool {
  shown: FunctionTool['function'];
}

/** Maximum length of a function's name. */
const MAX_NAME = 64;

/** The name of the function by which models search for tools. */
export const TOOL_SEARCH = 'tool_search';

/** Returns the name of the function that models see instead of a tool. */
export function functionNameOf({ name, namespace }: { name: string; namespace?: string | null | undefined }): string {
  return namespace == null ? name : `${namespace}__${name}`.slice(-MAX_NAME);
}

/** Returns the tools that the caller runs, in order. */
export function clientToolsIn(tools: readonly (GivenTool | { type: 'mcp' })[] | null | undefined): ClientTool[] {
  return (tools ?? []).flatMap((tool): ClientTool[] => {
    switch (tool.type) {
      case 'function':
      case 'custom':
        return [clientTool(tool)];
      case 'namespace':
        return tool.tools.map((one) => clientTool(one, tool.name));
      case 'tool_search': {
        const { type, description, parameters } = tool;
        return [{ type, name: TOOL_SEARCH, shown: { name: TOOL_SEARCH, description, parameters } }];
      }
      default:
        return [];
    }
  });
}

type OwnTool = z.infer<typeof functionTool> | z.infer<typeof customTool>;

function clientTool(tool: OwnTool, namespace?: string): ClientTool {
  const { type, name, description } = tool;
  const named = { name: functionNameOf({ name, namespace }), description };
  const called = { type, name, ...(namespace !== undefined && { namespace }) };
  if (tool.type === 'function')
    return { ...called, shown: { ...named, parameters: tool.parameters, strict: tool.strict } };
  return { ...called, shown: { ...named, description: describeInput(tool), parameters: TEXT_INPUT } };
}

const TEXT_INPUT = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input, as plain text' } },
  required: ['input'],
  additionalProperties: false,
};

function describeInput({ description, format }: z.infer<typeof customTool>): string | undefined {
  const grammar =
    format?.type === 'grammar' ? `\`input\` follows this ${format.syntax} grammar:\n${format.definition}` : '';
  return [description, grammar].filter(Boolean).join('\n\n') || undefined;
}

/** Returns the arguments by which models call a custom tool. */
export function toArguments(input: string): string {
  return JSON.stringify({ input });
}

/** Returns the input of a custom tool. Models may also write it as it is. */
export function toInput(text: string): string {
  const { input } = parseObject(text) ?? {};
  return typeof input === 'string' ? input : text;
}

/** Parses the arguments of a call. Null: they are not a JSON object, for example because they are incomplete. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && !Array.isArray(parsed) ? (parsed as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
