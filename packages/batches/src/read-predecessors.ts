import type { BatchItemRecord, BatchRecord, Database } from '@chorus/database';
import type { BatchState } from './batch-state.ts';
import type { ReferredExecution } from './references.ts';

type ExecutionOf = (item: string) => ReferredExecution | undefined;

/**
 * Reads the executions that items may refer to, in two round trips.
 *
 * @returns For each item, a lookup of the executions of its dependencies.
 */
export async function readPredecessors(
  { batchItems, executions }: Pick<Database, 'batchItems' | 'executions'>,
  batch: BatchRecord,
  items: readonly BatchItemRecord[],
  state: Pick<BatchState, 'placeOf'>,
): Promise<(item: BatchItemRecord) => ExecutionOf> {
  const places = new Set<number>();
  for (const id of items.flatMap(({ after }) => after)) {
    const place = state.placeOf(id);
    if (place !== undefined) places.add(place);
  }
  if (places.size === 0) return () => () => undefined;
  const before = await batchItems.getMany(batch.id, [...places]);
  const ids = before.flatMap(({ execution_id }) => execution_id ?? []);
  const records = new Map((await executions.getMany(batch.owner, ids)).map((record) => [record.id, record]));
  const byItem = new Map(before.map(({ id, execution_id }) => [id, records.get(execution_id ?? '')]));
  return ({ after }) =>
    (id) =>
      after.includes(id) ? byItem.get(id) : undefined;
}
