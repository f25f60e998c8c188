import { setTimeout as sleep } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract';

/** Users who are remembered at once. Beyond that the oldest penalty ends early. */
const MAX_USERS = 10_000;

/** How long a refusal is held back, so that a client that asks in a loop costs little. */
const HOLD_MS = 1_000;

/** Keeps users out for a moment after a socket of theirs was closed for flooding, so that opening it again and again is no way around limits. */
export class Penalties {
  readonly #ms: number;
  /** When each penalty ends, by `performance.now()`; the oldest first. */
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
   * Lets pass who has no penalty; holds others back for a second, and refuses them.
   *
   * @throws {ChorusError} `rate_limited`
   */
  async check(userId: string): Promise<void> {
    const leftMs = (this.#until.get(userId) ?? 0) - performance.now();
    if (leftMs <= 0) return;
    await sleep(HOLD_MS);
    throw new ChorusError(
      'rate_limited',
      'A voice socket of yours was just closed for flooding. Connect again later.',
      {
        retryAfterS: Math.ceil(leftMs / 1_000),
      },
    );
  }
}
