import { z } from 'zod';
import { type OutputItem, type ToolCallItem, toolCallItem } from './execution.ts';

/** A step of an agent: what it said, and the calls that ran on the server. */
export const messageStep = z.object({
  content: z.string(),
  tool_calls: z
    .array(
      toolCallItem
        .pick({
          id: true,
          name: true,
          arguments: true,
          status: true,
          result: true,
          started_at: true,
          finished_at: true,
        })
        // Absent in messages stored before calls had times.
        .partial({ started_at: true, finished_at: true }),
    )
    .max(1_000),
});
export type MessageStep = z.infer<typeof messageStep>;

/** Returns the items of each step of an agent: its calls, and the text since the previous step. */
export function stepsIn<Item extends OutputItem>(output: readonly Item[]): Item[][] {
  const ends: number[] = [];
  for (const [index, item] of output.entries())
    if (item.type === 'tool_call' && item.step !== undefined) ends[item.step] = index;
  let start = 0;
  return ends.map((end) => {
    const items = output.slice(start, end + 1);
    start = end + 1;
    return items;
  });
}

/**
 * Returns the output of an interrupted execution, with its open calls ended.
 *
 * @param approvals Decisions about the calls. A call that was approved may have run.
 */
export function withEndedCalls<Item extends OutputItem>(
  output: readonly Item[],
  at: Date,
  approvals: readonly { tool_call_id: string; decision: string | null }[] = [],
): Item[] {
  const approved = new Set(approvals.flatMap((one) => (one.decision === 'approve' ? [one.tool_call_id] : [])));
  return output.map((item) => {
    if (item.type !== 'tool_call') return item;
    const ended = endOf(item, approved.has(item.id));
    return ended === null ? item : { ...item, ...ended, finished_at: at.toISOString() };
  });
}

/** Returns the end of an open call. Null: it is not open. */
function endOf({ status, started_at }: ToolCallItem, isApproved: boolean): Partial<ToolCallItem> | null {
  if (status === 'awaiting_approval') return { status: isApproved ? 'unknown' : 'denied' };
  if (status !== 'running') return null;
  return started_at === null ? { status: 'failed', result: 'It was not run.' } : { status: 'unknown' };
}

/** Returns the steps of an ended turn. */
export function messageSteps(output: readonly OutputItem[]): MessageStep[] {
  return stepsIn(output).map((items) => ({
    content: items.map((item) => (item.type === 'text' ? item.text : '')).join(''),
    tool_calls: items.flatMap((item) => {
      if (item.type !== 'tool_call') return [];
      const { id, name, arguments: args, status, result, started_at, finished_at } = item;
      return [{ id, name, arguments: args, status, result, started_at, finished_at }];
    }),
  }));
}

/** Returns the knowledge entries that the results of an agent's calls quote. */
export function sourcesOf(output: readonly OutputItem[]): string[] {
  return [...new Set(output.flatMap((item) => (item.type === 'tool_call' ? (item.sources ?? []) : [])))];
}

/** Describes to the model how a call ended. */
export function callOutcome({ status, result }: Pick<ToolCallItem, 'status' | 'result'>): string {
  const text = result ?? '';
  switch (status) {
    case 'succeeded':
      return text;
    case 'denied':
      return `The call was not run: a person denied it.${text === '' ? '' : ` Reason: ${text}`}`;
    case 'unknown':
      return 'The call was interrupted. It is unknown whether it had its effect. Do not repeat it unless that is harmless; say so to the user.';
    default:
      return `The call failed. ${text}`;
  }
}
