import { type Actor, type AuditLog, ChorusError, mayChange, type Owner, type Role, scopeKey } from '@chorus/contract';
import type { Database } from '@chorus/database';

/**
 * Deletes the record of an ended batch, and notes it in the audit log. The caller deletes its items and executions.
 *
 * @throws {ChorusError} not_found; role_forbidden for another member's batch, depending on the role;
 * job_running
 */
export async function deleteBatch(
  { batches, audit }: Pick<Database, 'batches'> & { audit: AuditLog },
  { owner, role }: { owner: Owner; role: Role },
  actor: Actor,
  id: string,
): Promise<void> {
  const record = await batches.get(owner, id);
  if (record === null) throw unknownBatch();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member created this batch; an admin can delete it.');
  if (!(await batches.removeEnded(owner, id))) {
    const { status } = (await batches.get(owner, id)) ?? {};
    if (status === undefined) throw unknownBatch();
    throw new ChorusError('job_running', `This batch is still ${status}. Cancel it first, then delete it.`, {
      retryAfterS: 1,
    });
  }
  const details = { items: record.counts.total };
  await audit.record(actor, {
    scope_key: scopeKey(owner),
    action: 'batch.deleted',
    target: { type: 'batch', id },
    details,
  });
}

const unknownBatch = () => new ChorusError('not_found', 'Batch not found.');
