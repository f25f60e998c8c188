import { z } from 'zod';

/** A page of tools. Each tool is parsed separately, so that a malformed one does not hide the others. */
export const toolPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export const listedTool = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z
    .object({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
});
export type ListedTool = z.infer<typeof listedTool>;

export const callResult = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof callResult>;

const resource = z.object({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});

export const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  }),
  z.object({ type: z.literal('resource'), resource }),
]);
