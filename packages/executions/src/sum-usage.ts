import type { Usage } from '@chorus/contract';

/** What two calls have used together. Where one cost is not known, neither is their sum. */
export function sumUsage(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    cost_usd: sumCost(one.cost_usd, other.cost_usd),
  };
}

/** Whole units of 10⁻¹² USD: a sum of fractions would end in noise. */
function sumCost(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.round((one + other) * 1e12) / 1e12;
}
