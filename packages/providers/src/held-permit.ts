import type { LanePass } from '@chorus/lanes';

const nothing = () => undefined;

/**
 * Keeps the permit of a call whose work goes on at the provider after the answer, such as a video. The provider
 * limits how many of them run at once, so the permit is free only at their end.
 */
export class HeldPermit {
  #pass: LanePass | null = null;

  /** Keeps the permit of the first call beyond its end. */
  keep(pass: LanePass): void {
    this.#pass ??= pass;
  }

  holds(pass: LanePass): boolean {
    return this.#pass === pass;
  }

  /**
   * Admits a further call about the same work. Refusals of it concern another limit, and its end leaves the permit in
   * use. Null: no permit is held.
   */
  lend(): LanePass | null {
    const pass = this.#pass;
    if (pass === null) return null;
    return {
      accepted: nothing,
      began: nothing,
      ended: nothing,
      refused: nothing,
      failed: nothing,
      stopped: (reason) => pass.stopped(reason),
      learned: nothing,
      leave: nothing,
    };
  }

  /** Frees the permit. May be called again. */
  leave(): void {
    this.#pass?.leave();
    this.#pass = null;
  }
}
