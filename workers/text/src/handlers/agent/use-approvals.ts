import { findItemId } from '@chorus/contract';
import type { AgentItem, AgentJob } from './agent-state.ts';
import type { AgentParts } from './agent-turn.ts';
import type { OfferedTools } from './offer-tools.ts';

/**
 * Claims the approvals of calls that may change something, so that each runs once: clients repeat a request whose
 * connection broke. Calls that another response runs end as unknown. Approvals of responses that are not stored cannot
 * be claimed.
 */
export function useApprovals(
  { database }: Pick<AgentParts, 'database'>,
  { owner, executionId }: Pick<AgentJob, 'owner' | 'executionId'>,
  items: readonly AgentItem[],
  tools: OfferedTools,
): Promise<AgentItem[]> {
  const { executions } = database;
  return Promise.all(
    items.map(async (item) => {
      const request = item.type === 'tool_call' ? item.mcp?.approval_request_id : undefined;
      const asked = request === undefined ? null : findItemId(request)?.executionId;
      if (item.type !== 'tool_call' || request === undefined || !asked) return item;
      if (tools.get(item.name)?.effect !== 'write') return item;
      const approval = { tool_call_id: request, name: item.name, used_by: executionId };
      if (await executions.useApproval(owner, asked, approval)) return item;
      const { approvals = [] } = (await executions.get(owner, asked)) ?? {};
      const user = approvals.find(({ tool_call_id }) => tool_call_id === request)?.used_by;
      if (user === undefined || user === executionId) return item;
      return { ...item, status: 'unknown' as const, finished_at: new Date().toISOString() };
    }),
  );
}
