import { BUDGET_PERIODS, BUDGET_WARNING, type Owner } from '@chorus/contract';
import type { BudgetRecord, Database } from '@chorus/database';
import { type Budgets, periodsAt } from '@chorus/executions';
import { eventId, noteDelivery } from './note-deliveries.ts';

export interface BudgetAlertParts {
  database: Pick<Database, 'webhookDeliveries'>;
  budgets: Pick<Budgets, 'all' | 'spending'>;
  /** Time to keep a delivery after its last attempt. */
  keepMs: number;
}

/** Stores alerts of budgets that are nearly or completely used up: once each, and again after a limit changes. */
export async function noteBudgetAlerts({ database, budgets, keepMs }: BudgetAlertParts): Promise<number> {
  const at = new Date();
  let noted = 0;
  for (const budget of budgets.all()) {
    const url = budget.webhook_url;
    if (url === null) continue;
    for (const period of BUDGET_PERIODS) {
      const limit = period === 'daily' ? budget.daily_usd : budget.monthly_usd;
      if (limit === null) continue;
      const { spentUsd, reservedUsd } = await budgets.spending(budget, period, at);
      const events = [
        ...(spentUsd >= limit * BUDGET_WARNING ? (['budget.warning'] as const) : []),
        ...(spentUsd >= limit ? (['budget.exceeded'] as const) : []),
      ];
      for (const event of events) {
        const { name, from, resetsAt } = periodsAt(at)[period];
        const id = eventId(from, `${budget.subject}/${event}/${period}/${name}/${limit}`);
        const data = {
          ...targetOf(budget),
          period,
          limit_usd: limit,
          spent_usd: spentUsd,
          reserved_usd: reservedUsd,
          resets_at: resetsAt.toISOString(),
        };
        const subject = { id, budget: { subject: budget.subject, at, data } };
        if (await noteDelivery(database, { owner: ownerOf(budget), event, url, subject }, keepMs)) noted += 1;
      }
    }
  }
  return noted;
}

const workspaceOf = ({ subject }: BudgetRecord): string | null =>
  subject.startsWith('workspace:') ? subject.slice('workspace:'.length) : null;

function ownerOf(budget: BudgetRecord): Owner {
  const workspace_id = workspaceOf(budget);
  return workspace_id === null
    ? { scope: 'personal', user_id: budget.user_id, workspace_id: null }
    : { scope: 'workspace', user_id: budget.user_id, workspace_id };
}

const targetOf = (budget: BudgetRecord) => {
  const workspace_id = workspaceOf(budget);
  return { object: 'budget', workspace_id, api_key_id: workspace_id === null ? budget.subject : null };
};
