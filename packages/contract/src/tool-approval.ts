import { z } from 'zod';

export const TOOL_DECISIONS = ['approve', 'deny'] as const;

/** A tool call that waits for a decision. */
export const pendingCall = z.object({
  tool_call_id: z.string(),
  name: z.string(),
  arguments: z.string().describe('JSON, as the model wrote it'),
});
export type PendingCall = z.infer<typeof pendingCall>;

/** The decisions that an execution with status `requires_action` waits for. */
export const requiredAction = z.object({
  type: z.literal('approve_tool_calls'),
  tool_calls: z.array(pendingCall).max(1_000).describe('Calls without a decision. It continues once all have one.'),
  expires_at: z.iso.datetime().describe('The execution fails if calls are still undecided at this time'),
});
export type RequiredAction = z.infer<typeof requiredAction>;

/** A person's decision about a tool call. */
export const toolDecision = z.strictObject({
  tool_call_id: z.string().min(1).max(256),
  decision: z.enum(TOOL_DECISIONS),
  reason: z.string().trim().max(2_000).optional().describe('For the model, if the call is denied'),
});
export type ToolDecision = z.infer<typeof toolDecision>;
