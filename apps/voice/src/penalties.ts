import { setTimeout as sleep } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract';

/** Limit of users kept. Beyond it the oldest penalty ends early. */
const MAX_USERS = 10_000;

/** Delay of each refusal, which slows clients that retry in a loop. */
const REFUSAL_DELAY_MS = 1_000;

/** Locks users out briefly after flooding, so that reconnecting does not bypass limits. */
export class Penalties {
  readonly #ms: number;
  /** End of each penalty by `performance.now()`, oldest first. */
  readonly #until = new Map<string, number>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  note(userId: string): void {
    this.#until.delete(userId);
    this.#until.set(userId, performance.now() + this.#ms);
    for (const [oldest, until] of this.#until) {
      if (this.#until.size <= MAX_USERS && until > performance.now()) break;
      this.#until.delete(oldest);
    }
  }

  /**
   * Refuses a user with a penalty, after a delay of one second.
   *
   * @throws {ChorusError} `rate_limited`
   */
  async check(userId: string): Promise<void> {
    const leftMs = (this.#until.get(userId) ?? 0) - performance.now();
    if (leftMs <= 0) return;
    await sleep(REFUSAL_DELAY_MS);
    throw new ChorusError('rate_limited', 'Your last voice socket was closed for flooding. Reconnect later.', {
      retryAfterS: Math.ceil(leftMs / 1_000),
    });
  }
}
