import { type Usage, usage } from '@chorus/contract';
import { z } from 'zod';

const NOTHING: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

const saved = z.object({ usage, warnings: z.array(z.string()) });

/** What an execution has used so far, over all its attempts, and what its models have left out, each said once. */
export class Tally {
  #usage: Usage | null;
  readonly #warnings: Set<string>;

  /** @param checkpoint what `saved` gave to an earlier attempt; anything else is nothing */
  constructor(checkpoint: unknown) {
    const earlier = saved.safeParse(checkpoint).data;
    this.#usage = earlier?.usage ?? null;
    this.#warnings = new Set(earlier?.warnings);
  }

  add(usage: Usage, warnings: readonly string[]): void {
    const before = this.#usage;
    // Where one cost is not known, neither is their sum.
    const cost = before === null ? usage.cost_usd : sumOf(before.cost_usd, usage.cost_usd);
    const { input_tokens, output_tokens, total_tokens } = before ?? NOTHING;
    this.#usage = {
      input_tokens: input_tokens + usage.input_tokens,
      output_tokens: output_tokens + usage.output_tokens,
      total_tokens: total_tokens + usage.total_tokens,
      cost_usd: cost,
    };
    for (const warning of warnings) this.#warnings.add(warning);
  }

  get known(): { usage: Usage; warnings: string[] } {
    return { usage: this.#usage ?? NOTHING, warnings: [...this.#warnings] };
  }
}

/** Whole units of 10⁻¹² USD: a sum of fractions would end in noise. */
function sumOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.round((one + other) * 1e12) / 1e12;
}
