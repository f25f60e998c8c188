import type { Owner } from '@chorus/contract';
import { applyEnding, type SettleStore } from '@chorus/executions';

/**
 * Whether the turn that a session says it is held by still runs. Where its end is stored and the session is not free yet, the session is freed
 * here: whoever has seen the end may ask for something else before the worker, which may have died there, has come to it.
 */
export async function turnHolds(store: SettleStore, owner: Owner, executionId: string): Promise<boolean> {
  const record = await store.executions.get(owner, executionId);
  if (record === null || record.finished_at === null) return true;
  await applyEnding(store, record);
  return false;
}
