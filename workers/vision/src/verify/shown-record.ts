import type { LedgerRecord } from '@chorus/database';

export const dayOf = ({ created_at }: LedgerRecord) => created_at.toISOString().slice(0, 10);

/** Returns the public fields of a record. */
export const shownRecord = ({ id, execution_id, model, created_at }: LedgerRecord) => ({
  asset_id: id,
  execution_id,
  model,
  created_at: created_at.toISOString(),
});
