import type { Usage } from '@chorus/contract';

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/** Adds up two usages. If one cost is unknown, so is the sum. */
export function sumUsage(one: Usage, other: Usage): Usage {
  const sum = (name: 'input_tokens' | 'output_tokens' | 'total_tokens' | (typeof DETAILS)[number]) =>
    (one[name] ?? 0) + (other[name] ?? 0);
  const details = DETAILS.filter((name) => one[name] !== undefined || other[name] !== undefined);
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
    cost_usd: sumCost(one.cost_usd, other.cost_usd),
    ...Object.fromEntries(details.map((name) => [name, sum(name)])),
    ...((one.estimated || other.estimated) && { estimated: true }),
  };
}

/** Returns whether nothing was used. The cost of nothing is unknown. */
export const isNothing = (usage: Usage) => usage.total_tokens === 0 && usage.cost_usd === null;

/** Adds up two usages like `sumUsage`, but nothing adds nothing. */
export function addUsage(one: Usage, other: Usage): Usage {
  if (isNothing(one)) return other;
  return isNothing(other) ? one : sumUsage(one, other);
}

const DETAILS = ['cached_input_tokens', 'reasoning_tokens', 'audio_input_tokens', 'audio_output_tokens'] as const;

/** Rounds to 10⁻¹² USD to hide floating-point noise. */
function sumCost(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.round((one + other) * 1e12) / 1e12;
}
