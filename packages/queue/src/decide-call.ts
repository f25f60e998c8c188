import {
  type AuditContext,
  ChorusError,
  mayChange,
  type Owner,
  type Role,
  scopeKey,
  type ToolDecision,
} from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { Dispatcher } from './dispatcher.ts';

export interface DecisionParts extends AuditContext {
  database: { executions: Pick<Database['executions'], 'get' | 'decide'> };
  dispatcher: Pick<Dispatcher, 'resume'>;
}

/**
 * Decides on a waiting tool call. The execution continues once all its calls are decided. Only the first decision
 * about a call counts, and it may be repeated.
 *
 * @throws {ChorusError} `not_found`; `role_forbidden` for another member's, unless the role allows it;
 * `already_decided`; `store_unavailable`
 */
export async function decideCall(
  { database, dispatcher, actor, audit }: DecisionParts,
  { owner, role }: { owner: Owner; role: Role },
  id: string,
  { tool_call_id, decision, reason = null }: Omit<ToolDecision, 'reason'> & { reason?: string | null | undefined },
): Promise<ExecutionRecord> {
  const { executions } = database;
  const before = await executions.get(owner, id);
  if (before === null) throw new ChorusError('not_found', 'Job not found.');
  if (!mayChange(role, owner, before.owner))
    throw new ChorusError('role_forbidden', 'Another member runs this execution; an admin can decide.');
  const call = callOf(before, tool_call_id);
  if (call === undefined)
    throw new ChorusError('not_found', `This job has no tool call \`${tool_call_id}\` that needs a decision.`);
  const decided = await executions.decide(owner, id, { tool_call_id, decision, reason, user_id: owner.user_id });
  if (decided !== null) {
    await audit.record(actor, {
      scope_key: scopeKey(owner),
      action: decision === 'approve' ? 'tool_call.approved' : 'tool_call.denied',
      target: { type: 'job', id },
      details: { tool: call.name, tool_call_id },
    });
  }
  const record = decided ?? (await executions.get(owner, id)) ?? before;
  const made = callOf(record, tool_call_id)?.decision ?? null;
  if (made !== decision) throw refusalOf(record, made);
  // Also for a repetition: the process that decided may have died before it continued the execution.
  return (await dispatcher.resume(owner, id)) ?? record;
}

function callOf({ approvals = [] }: ExecutionRecord, toolCallId: string) {
  return approvals.find(({ tool_call_id }) => tool_call_id === toolCallId);
}

function refusalOf({ status }: ExecutionRecord, made: ToolDecision['decision'] | null): ChorusError {
  const message =
    made === null
      ? `This tool call does not wait for a decision any more: the execution is ${status}, or the time is up.`
      : `This tool call was already ${made === 'approve' ? 'approved' : 'denied'}.`;
  return new ChorusError('already_decided', message);
}
