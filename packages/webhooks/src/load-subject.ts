import type { Database } from '@chorus/database';
import { type Addresses, presentBatch, presentExecution } from '@chorus/executions';
import type { LoadSubject } from './attempt-delivery.ts';

/** Loads the subject of a delivery. URLs in it are signed for each attempt. */
export function createLoadSubject(
  database: Pick<Database, 'executions' | 'batches'>,
  addresses: Addresses,
): LoadSubject {
  return async ({ owner, event, execution_id, batch_id, budget, operator, created_at }) => {
    const own = budget ?? operator;
    if (own !== undefined) return { data: own.data, at: own.at };
    if (batch_id !== null) {
      const batch = await database.batches.get(owner, batch_id);
      return batch && { data: { ...presentBatch(batch, addresses) }, at: batch.finished_at ?? new Date() };
    }
    if (execution_id === null) return null;
    const record = await database.executions.get(owner, execution_id);
    if (event === 'execution.requires_action')
      return record?.status === 'requires_action'
        ? { data: presentExecution(record, addresses), at: created_at }
        : null;
    if (record?.finished_at == null) return null;
    return { data: presentExecution(record, addresses), at: record.finished_at };
  };
}
