import type { LedgerRecord } from '@chorus/database';

/** The day on which something was made, in UTC. */
export const dayOf = ({ created_at }: LedgerRecord) => created_at.toISOString().slice(0, 10);

/** What a check tells of something that was made in the scope. */
export const shownRecord = ({ id, execution_id, model, created_at }: LedgerRecord) => ({
  asset_id: id,
  execution_id,
  model,
  created_at: created_at.toISOString(),
});
