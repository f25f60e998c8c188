import {
  type Actor,
  BUDGET_PERIODS,
  type Budget,
  type BudgetPatch,
  type BudgetState,
  personalScope,
  workspaceScope,
} from '@chorus/contract';
import type { BudgetRecord } from '@chorus/database';
import { announceSettings } from '@chorus/events';
import { periodsAt } from '@chorus/executions';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

type Parts = Pick<Services, 'database' | 'redis' | 'budgets' | 'accounts'>;

/** The workspace or API key that spends. */
export type BudgetTarget = { workspace_id: string; user_id: string } | { api_key_id: string; user_id: string };

const subjectOf = (target: BudgetTarget): string =>
  'workspace_id' in target ? workspaceScope(target.workspace_id) : target.api_key_id;

const scopeOf = (target: BudgetTarget): string =>
  'workspace_id' in target ? workspaceScope(target.workspace_id) : personalScope(target.user_id);

/** @throws {ChorusError} not_found for a key of another user */
export async function getBudget(parts: Parts, target: BudgetTarget): Promise<Budget> {
  await checkKey(parts, target);
  return present(parts, target, await read(parts, target));
}

/** Stores a budget, or removes one without limits. @throws {ChorusError} not_found for a key of another user */
export async function changeBudget(
  parts: Parts,
  actor: Actor,
  target: BudgetTarget,
  patch: BudgetPatch,
): Promise<Budget> {
  await checkKey(parts, target);
  const before = await read(parts, target);
  const { daily_usd = before.daily_usd, monthly_usd = before.monthly_usd, webhook_url = before.webhook_url } = patch;
  const next = { ...before, user_id: target.user_id, daily_usd, monthly_usd, webhook_url };
  const { budgets } = parts.database;
  if (daily_usd === null && monthly_usd === null && webhook_url === null) await budgets.remove(next.subject);
  else await budgets.set(next);
  const isWorkspace = 'workspace_id' in target;
  await parts.accounts.audit.record(actor, {
    scope_key: scopeOf(target),
    action: 'budget.changed',
    target: { type: isWorkspace ? 'workspace' : 'api_key', id: isWorkspace ? target.workspace_id : target.api_key_id },
    details: { daily_usd, monthly_usd },
  });
  await announceSettings(parts.redis, 'budgets');
  return present(parts, target, next);
}

async function checkKey({ database }: Parts, target: BudgetTarget): Promise<void> {
  if ('workspace_id' in target) return;
  if ((await database.apiKeys.get(target.user_id, target.api_key_id)) === null) throw unknownRecord('apiKey');
}

async function read({ database }: Parts, target: BudgetTarget): Promise<BudgetRecord> {
  const subject = subjectOf(target);
  const none = { daily_usd: null, monthly_usd: null, webhook_url: null };
  const stored = await database.budgets.get(subject);
  return stored ?? { subject, scope_key: scopeOf(target), user_id: target.user_id, ...none };
}

async function present({ budgets }: Parts, target: BudgetTarget, record: BudgetRecord): Promise<Budget> {
  const { daily_usd, monthly_usd, webhook_url } = record;
  const limits = { daily: daily_usd, monthly: monthly_usd };
  const at = new Date();
  const periods: BudgetState[] = [];
  for (const period of BUDGET_PERIODS) {
    const limit_usd = limits[period];
    if (limit_usd === null) continue;
    const { spentUsd, reservedUsd, unpricedModels } = await budgets.spending(record, period, at);
    periods.push({
      period,
      limit_usd,
      spent_usd: spentUsd,
      reserved_usd: reservedUsd,
      unpriced_models: unpricedModels,
      resets_at: periodsAt(at)[period].resetsAt.toISOString(),
    });
  }
  return {
    object: 'budget',
    workspace_id: 'workspace_id' in target ? target.workspace_id : null,
    api_key_id: 'api_key_id' in target ? target.api_key_id : null,
    daily_usd,
    monthly_usd,
    webhook_url,
    periods,
  };
}
