import { type JobKind, KINDS, type KindDefinition } from '@chorus/contract';
import type { BatchRecord, Database } from '@chorus/database';

/** Maximum number of items in a part. Providers accept more, but a part is planned as a whole. */
export const MAX_PART_ITEMS = 5_000;

/** Returns whether an item's execution may wait for a provider's batch endpoint. */
export async function mayHold(
  { economy }: Pick<BatchRecord, 'economy'>,
  { kind, model, input }: { kind: JobKind; model: string | null; input: unknown },
  hasBatches: ((model: string) => Promise<boolean>) | undefined,
): Promise<boolean> {
  if (economy === null || model === null || hasBatches === undefined) return false;
  const definition: KindDefinition = KINDS[kind];
  if (definition.economy?.fits(input) !== true) return false;
  // A worker that is just starting does not know its providers yet.
  return economy.models.includes(model) || hasBatches(model);
}

/**
 * Groups held executions into parts by model. If this process dies in between, another one forms parts of the same
 * executions again. Each execution belongs to the part that takes it first.
 */
export async function formParts(
  { batchParts, executions }: Pick<Database, 'batchParts' | 'executions'>,
  { id: batch_id, owner }: Pick<BatchRecord, 'id' | 'owner'>,
  held: readonly { id: string; model: string }[],
): Promise<void> {
  for (const [model, its] of Map.groupBy(held, (one) => one.model))
    for (let from = 0; from < its.length; from += MAX_PART_ITEMS) {
      const ids = its.slice(from, from + MAX_PART_ITEMS).map(({ id }) => id);
      const id = await batchParts.insert({ owner, batch_id, model, ids });
      await executions.assignPart(ids, null, id);
    }
}
