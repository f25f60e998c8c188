import { bytesOfId, isId } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { Budgets } from './budgets.ts';
import { unpricedModel } from './unpriced-model.ts';

/** Younger executions may not be stored yet, or may be about to be charged. */
const MIN_AGE_MS = 30_000;
const DAY_MS = 86_400_000;
const PAGE = 500;

/** Charges ended executions that were not charged, and releases reservations of those that never began. */
export async function settleLost({
  database,
  budgets,
  now = Date.now(),
}: {
  database: Pick<Database, 'budgets'>;
  budgets: Pick<Budgets, 'all' | 'ledger'>;
  now?: number;
}): Promise<number> {
  let settled = 0;
  for (const { subject } of budgets.all()) {
    for (const at of [new Date(now), new Date(now - DAY_MS)]) {
      const held = (await budgets.ledger.held(subject, at)).filter((id) => now - timeOf(id) > MIN_AGE_MS);
      for (let from = 0; from < held.length; from += PAGE) {
        const page = held.slice(from, from + PAGE);
        const known = new Map((await database.budgets.costsOf(page)).map((one) => [one.id, one]));
        for (const id of page) {
          const found = known.get(id);
          if (found && !found.ended) continue;
          const costUsd = found ? (found.cost_usd ?? 0) : null;
          await budgets.ledger.settle(subject, { id, at, costUsd, unpriced: found && unpricedModel(found) });
          settled += 1;
        }
      }
    }
  }
  return settled;
}

/** Ids start with their creation time. */
const timeOf = (id: string): number => (isId('job', id) ? Buffer.from(bytesOfId(id)).readUIntBE(0, 6) : 0);
