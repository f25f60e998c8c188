import type { ChorusClient } from '@chorus/client';
import { UsageError } from '../command.ts';
import { defineActions } from './define-actions.ts';
import { textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

type Budget = Awaited<ReturnType<ChorusClient['workspaces']['budget']>>;
type BudgetPatch = Parameters<ChorusClient['workspaces']['changeBudget']>[1];

/** The value of an option that removes a limit. */
const NONE = 'none';

export const budget = defineActions({
  name: 'budget',
  summary: 'Shows and sets what a workspace or an API key may spend.',
  actions: {
    show: {
      args: '<id>',
      does: 'shows the limits of a workspace or an API key (key_…), and what was spent',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        const found = isKey(id)
          ? await chorus.keys.budget(id, { signal })
          : await chorus.workspaces.budget(id, { signal });
        output.done(describe(found), found);
        return EXIT.done;
      },
    },
    set: {
      args: '<id>',
      does: 'sets --daily, --monthly, or --webhook; "none" removes one',
      async run({ chorus, options, output, interrupts: { signal } }, id = '') {
        const webhook = textOption(options, 'webhook');
        const patch: BudgetPatch = {
          daily_usd: amount('daily', textOption(options, 'daily')),
          monthly_usd: amount('monthly', textOption(options, 'monthly')),
          ...(webhook !== undefined && { webhook_url: webhook === NONE ? null : webhook }),
        };
        if (Object.values(patch).every((value) => value === undefined))
          throw new UsageError('Specify --daily, --monthly, or --webhook.');
        const changed = isKey(id)
          ? await chorus.keys.changeBudget(id, patch, { signal })
          : await chorus.workspaces.changeBudget(id, patch, { signal });
        output.done(describe(changed), changed);
        return EXIT.done;
      },
    },
  },
  options: { daily: { type: 'string' }, monthly: { type: 'string' }, webhook: { type: 'string' } },
  details: [
    '--daily, --monthly      US dollars per day or month (UTC)',
    '--webhook               gets budget.warning at 80%, and budget.exceeded at 100%',
  ],
});

const isKey = (id: string) => id.startsWith('key_');

function amount(name: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === NONE) return null;
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new UsageError(`--${name} must be an amount in US dollars, or none.`);
  return value;
}

function describe({ periods }: Budget): string {
  if (periods.length === 0) return 'No limits.';
  const lines = periods.map(
    ({ period, limit_usd, spent_usd, reserved_usd, unpriced_models, resets_at }) =>
      `${period.padEnd(8)} ${spent_usd.toFixed(4)} of ${limit_usd} USD spent, ${reserved_usd.toFixed(4)} reserved; resets at ${resets_at}` +
      (unpriced_models.length === 0
        ? ''
        : `\n         not counted, since their prices are unknown: ${unpriced_models.join(', ')}`),
  );
  return lines.join('\n');
}
