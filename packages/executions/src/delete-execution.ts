import { type Actor, type AuditLog, ChorusError, mayChange, type Owner, type Role, scopeKey } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import { applyEnding, type SettleStore } from './settle.ts';

interface DeletionStore extends Omit<SettleStore, 'executions' | 'sessions'> {
  executions: Pick<Database['executions'], 'finish' | 'get' | 'blank'>;
  sessions: Pick<Database['sessions'], 'release' | 'get'>;
}

/**
 * Returns an execution that the caller may delete.
 *
 * @throws {ChorusError} not_found; role_forbidden for another member's, unless the role allows it; job_running
 */
export async function deletableExecution(
  { executions }: { executions: Pick<Database['executions'], 'get'> },
  { owner, role }: { owner: Owner; role: Role },
  id: string,
): Promise<ExecutionRecord> {
  const record = await executions.get(owner, id);
  if (record === null) throw new ChorusError('not_found', 'Job not found.');
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member ran this job; an admin can delete it.');
  if (record.finished_at === null) {
    throw new ChorusError('job_running', `This job is still ${record.status}. Cancel it first, then delete it.`, {
      retryAfterS: 1,
    });
  }
  return record;
}

/** Deletes the record of an ended execution and writes the audit log. The caller deletes the rest. */
export async function deleteExecution(
  store: DeletionStore,
  audit: AuditLog,
  actor: Actor,
  record: ExecutionRecord,
): Promise<void> {
  const { id, owner, kind, session_id } = record;
  // A worker that crashed after the end may have left the session locked, and only the record shows that.
  const session = session_id === null ? null : await store.sessions.get(owner, session_id);
  if (session?.active_execution_id === id) await applyEnding(store, record);
  await store.executions.blank([id]);
  const target = { type: 'job', id };
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'execution.deleted', target, details: { kind } });
}
