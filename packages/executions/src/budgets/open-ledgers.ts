import { BUDGET_PERIODS, type Owner, providerOf, scopeKey } from '@chorus/contract';
import type { BudgetRecord, Database } from '@chorus/database';
import type { BudgetLedger, Earlier, Hold } from './ledger.ts';
import { periodsAt } from './periods.ts';
import { unpricedModel } from './unpriced-model.ts';

type Parts = Pick<Database, 'budgets' | 'usage' | 'workspaces'>;

const PAGE = 100;
const RUNNING_PAGE = 1_000;
const MAX_TRIES = 3;

/**
 * Opens the ledgers of a budget from the usage records: for a new budget or period, and after Redis has lost them.
 */
export async function openLedgers(parts: Parts, ledger: BudgetLedger, budget: BudgetRecord, at: Date): Promise<void> {
  const { subject } = budget;
  const keyId = subject.startsWith('workspace:') ? null : subject;
  const owners = keyId === null ? [workspaceOwner(subject)] : await scopesOf(parts, budget.user_id);
  const periods = periodsAt(at);
  for (const period of BUDGET_PERIODS) {
    if ((await ledger.read(subject, period, at)) !== null) continue;
    const { from } = periods[period];
    const days = { from: from.toISOString().slice(0, 10), to: periods.daily.name };
    let spentUsd = 0;
    const unpricedModels = new Set<string>();
    const running: Hold[] = [];
    for (const owner of owners) {
      const found = await readSpending(parts, owner, { from, days, keyId });
      spentUsd += found.spentUsd;
      for (const model of found.unpricedModels) unpricedModels.add(model);
      for (const hold of found.running) running.push(hold);
    }
    await ledger.open(subject, { period, at, spentUsd, unpricedModels: [...unpricedModels], running });
  }
}

/** Reads again if an execution ends meanwhile, since the sum may or may not include it. */
async function readSpending(
  { budgets, usage }: Parts,
  owner: Owner,
  { from, days, keyId }: { from: Date; days: { from: string; to: string }; keyId: string | null },
): Promise<Earlier> {
  for (let tries = 1; ; tries += 1) {
    const begun: string[] = [];
    let page: string[];
    do {
      page = await budgets.listUnfinished(scopeKey(owner), from, keyId, { after: begun.at(-1), limit: RUNNING_PAGE });
      begun.push(...page);
    } while (page.length === RUNNING_PAGE);
    const rows = await usage.report(owner, days);
    const running: Hold[] = [];
    for (let at = 0; at < begun.length; at += RUNNING_PAGE)
      for (const { id, ended, reserved_usd: usd } of await budgets.costsOf(begun.slice(at, at + RUNNING_PAGE)))
        if (!ended) running.push({ id, usd });
    if (running.length < begun.length && tries < MAX_TRIES) continue;
    const own = rows.filter((row) => keyId === null || row.api_key_id === keyId);
    const unpricedModels = own.flatMap(({ model, unpriced_executions }) =>
      unpriced_executions === 0
        ? []
        : (unpricedModel({ model, provider: model && providerOf(model), cost_usd: null }) ?? []),
    );
    return { spentUsd: own.reduce((sum, row) => sum + row.cost_usd, 0), unpricedModels, running };
  }
}

const workspaceOwner = (subject: string): Owner => ({
  scope: 'workspace',
  user_id: '',
  workspace_id: subject.slice('workspace:'.length),
});

/** Returns the scopes in which a user's keys can be used. */
async function scopesOf({ workspaces }: Pick<Database, 'workspaces'>, userId: string): Promise<Owner[]> {
  const owners: Owner[] = [{ scope: 'personal', user_id: userId, workspace_id: null }];
  let after: string | undefined;
  do {
    const page = await workspaces.listOfUser(userId, { limit: PAGE, after });
    for (const { workspace_id } of page.data) owners.push({ scope: 'workspace', user_id: userId, workspace_id });
    after = page.next_cursor ?? undefined;
  } while (after !== undefined);
  return owners;
}
