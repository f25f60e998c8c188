import { type Action, isTerminal, type JobKind } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { JobRequest } from '@chorus/jobs';
import type { CallToolResult, ContentBlock, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ScopedContext } from '../http/request-context.ts';

/** Where errors of the caller's input point to. */
export const ARGUMENTS = 'arguments';

/** A result: content for the model, and the fields of the tool's output schema. */
export interface Shown {
  content: ContentBlock[];
  fields: Record<string, unknown>;
}

/** Work for the queue: a kind, and the request that its plan takes. */
export type WorkOrder = { [K in JobKind]: { kind: K; request: JobRequest<K> } }[JobKind];

/** How a call begins: with its result, new work, or an execution to wait for. */
export type Start = { shown: Shown } | { order: WorkOrder } | { record: ExecutionRecord; waitMs: number };

export interface McpTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: z.ZodObject;
  /** Returns the action that the caller must be allowed to do. */
  needs(args: z.output<Input>): Action;
  start(args: z.output<Input>, context: ScopedContext): Promise<Start>;
  /** Shows an execution of the tool, whatever its status. */
  show(record: ExecutionRecord, context: ScopedContext): Promise<Shown>;
  /** Whether a failed execution is a result of the tool, rather than an error. */
  readonly showsFailures?: true;
}

export function defineTool<Input extends z.ZodObject>(tool: McpTool<Input>): McpTool {
  return tool as unknown as McpTool;
}

/** Output fields of every tool that runs work. */
export const workFields = {
  job_id: z.string().describe('The execution, for get_job'),
  status: z.string().describe('`succeeded`, or `queued` or `running` if the result is not ready yet'),
};

/** Shows an execution. Without a result, only its status and the way to get the result. */
export async function showWork(
  { id, status }: ExecutionRecord,
  result: () => Shown | Promise<Shown>,
  empty: Record<string, unknown>,
): Promise<Shown> {
  if (status === 'succeeded') {
    const { content, fields } = await result();
    return { content, fields: { job_id: id, status, ...fields } };
  }
  const text = isTerminal(status)
    ? `The job ${id} has ${status === 'failed' ? 'failed' : 'been cancelled'}.`
    : `The job ${id} is ${status}. It continues. Call get_job with this job_id to get the result.`;
  return { content: [{ type: 'text', text }], fields: { job_id: id, status, ...empty } };
}

export const toToolResult = ({ content, fields }: Shown): CallToolResult => ({ content, structuredContent: fields });

/** Describes a tool for `tools/list`. */
export function describeTool({ name, title, description, annotations, input, output }: McpTool) {
  return {
    name,
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: schemaOf(input, 'input'),
    outputSchema: schemaOf(output, 'output'),
  };
}

/** Converts to the dialect that all clients know. Results may gain fields, so they allow others. */
function schemaOf(schema: z.ZodObject, io: 'input' | 'output') {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, target: 'draft-7' });
  return simplified(described, io) as typeof described & { type: 'object' };
}

/** Removes details that describe zod, and what some clients cannot map to their model's dialect: lists of types. */
function simplified(part: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(part)) return part.map((one) => simplified(one, io));
  if (typeof part !== 'object' || part === null) return part;
  const { type, additionalProperties: others, ...rest } = part as Record<string, unknown>;
  if (rest.format === 'date-time') delete rest.pattern;
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  return {
    ...(Array.isArray(type) ? { anyOf: type.map((one) => ({ type: one })) } : type !== undefined && { type }),
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, simplified(value, io)])),
    ...(others === false && io === 'input' && { additionalProperties: false }),
  };
}
