import { ChorusError } from '@chorus/contract';
import type { Shortage } from './ledger.ts';
import { periodsAt } from './periods.ts';

/** Running work can end, and release what it has reserved, at any time. */
const RELEASE_S = 10;

/** Says which budget does not cover an execution, and when it may. */
export function budgetExceeded(subject: string, shortage: Shortage, at: Date): ChorusError {
  const { period, limitUsd, spentUsd, reservedUsd, askedUsd } = shortage;
  const { resetsAt } = periodsAt(at)[period];
  const resets_at = resetsAt.toISOString();
  const leftUsd = Math.max(0, limitUsd - spentUsd - reservedUsd);
  const whose = subject.startsWith('workspace:') ? 'this workspace' : 'this API key';
  const isUsedUp = spentUsd >= limitUsd;
  const mayFitSoon = !isUsedUp && reservedUsd > 0 && spentUsd + askedUsd <= limitUsd;
  const fact = isUsedUp ? 'is used up' : `does not cover this request, which can cost up to ${dollars(askedUsd)}`;
  const state = `${dollars(spentUsd)} are spent, ${dollars(reservedUsd)} reserved by running work, and ${dollars(leftUsd)} left`;
  const advice = mayFitSoon ? 'Try again when running work has ended.' : `It resets at ${resets_at}.`;
  const untilResetS = Math.max(1, Math.ceil((resetsAt.getTime() - at.getTime()) / 1_000));
  return new ChorusError(
    'budget_exceeded',
    `The ${period} budget of ${whose}, ${dollars(limitUsd)}, ${fact}: ${state}. ${advice}`,
    {
      retryAfterS: mayFitSoon ? Math.min(RELEASE_S, untilResetS) : untilResetS,
      extra: {
        budget: {
          subject,
          period,
          limit_usd: limitUsd,
          spent_usd: spentUsd,
          reserved_usd: reservedUsd,
          left_usd: leftUsd,
          asked_usd: askedUsd,
          resets_at,
        },
      },
    },
  );
}

/** Shows small amounts with two digits that are not zero. */
function dollars(usd: number): string {
  if (usd === 0 || usd >= 1) return `${Number(usd.toFixed(2))} USD`;
  return `${Number(usd.toPrecision(2))} USD`;
}
