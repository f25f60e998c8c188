import { type Usage, usage } from '@chorus/contract';
import { NO_USAGE, sumUsage } from '@chorus/executions';
import { z } from 'zod';

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
    this.#usage = this.#usage === null ? usage : sumUsage(this.#usage, usage);
    for (const warning of warnings) this.#warnings.add(warning);
  }

  get known(): { usage: Usage; warnings: string[] } {
    return { usage: this.#usage ?? NO_USAGE, warnings: [...this.#warnings] };
  }
}
