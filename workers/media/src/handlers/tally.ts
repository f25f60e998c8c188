import { type Usage, usage } from '@chorus/contract';
import { NO_USAGE, sumUsage } from '@chorus/providers/usage';
import { z } from 'zod';

const saved = z.object({ usage, warnings: z.array(z.string()) });

/** Usage of an execution over all attempts, and its warnings without duplicates. */
export class Tally {
  #usage: Usage | null;
  readonly #warnings: Set<string>;

  /** @param checkpoint `known` of an earlier attempt; anything else is ignored */
  constructor(checkpoint: unknown) {
    const earlier = saved.safeParse(checkpoint).data;
    this.#usage = earlier?.usage ?? null;
    this.#warnings = new Set(earlier?.warnings);
  }

  add(usage: Usage, warnings: readonly string[]): void {
    this.#usage = this.#usage === null ? usage : sumUsage(this.#usage, usage);
    for (const warning of warnings) this.#warnings.add(warning);
  }

  get known(): { usage: Usage; warnings: string[] } {
    return { usage: this.#usage ?? NO_USAGE, warnings: [...this.#warnings] };
  }
}
