import { Turns } from '@chorus/runtime/turns';
import type { Place } from '@chorus/worker-kit';

/** Time slices while another user waits: of a user with several documents, and of a user with one. */
const SLICE_MS = 2_000;
const ONLY_SLICE_MS = 5_000;

interface Waiting {
  user: string;
  begin(): void;
}

/**
 * Limits the long documents in progress in this process, since they take memory and child processes. Short texts
 * overtake them. The rules are those of a pool's places: users take turns, one user leaves a slot free for others, and
 * gives one back when another user waits.
 */
export class LongDocuments {
  readonly #slots: number;
  readonly #waiting = new Turns<Waiting>();
  readonly #held: string[] = [];

  constructor(slots: number) {
    this.#slots = slots;
  }

  /**
   * Waits for a slot.
   *
   * @returns frees the slot
   * @throws the signal's reason
   */
  async begin(user: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { user, begin: turn.resolve };
    const leave = () => {
      if (this.#waiting.remove(waiting)) turn.reject(signal.reason);
    };
    this.#waiting.add(waiting);
    this.#next();
    signal.addEventListener('abort', leave, { once: true });
    await turn.promise.finally(() => signal.removeEventListener('abort', leave));
    return () => {
      this.#held.splice(this.#held.indexOf(user), 1);
      this.#next();
    };
  }

  /** Combines the demand for slots with that for places. */
  placeOf(user: string, place: Place): Place {
    const beganAt = performance.now();
    return {
      isWanted: async (setupMs = 0) => {
        const ranMs = performance.now() - beganAt;
        return (ranMs >= 2 * setupMs && this.#isWanted(user, ranMs)) || place.isWanted(setupMs);
      },
      giveBack: () => place.giveBack(),
    };
  }

  #isWanted(user: string, ranMs: number): boolean {
    const isOnly = this.#held.filter((one) => one === user).length === 1;
    if (ranMs < (isOnly ? ONLY_SLICE_MS : SLICE_MS) || this.#held.length < this.#slots) return false;
    return this.#waiting.next(1, (one) => one.user !== user).length > 0;
  }

  #next(): void {
    for (;;) {
      const [next] = this.#waiting.next(1, ({ user }) => this.#mayBegin(user));
      if (next === undefined) return;
      this.#waiting.serve(next);
      this.#held.push(next.user);
      next.begin();
    }
  }

  #mayBegin(user: string): boolean {
    const free = this.#slots - this.#held.length;
    const own = this.#held.filter((one) => one === user).length;
    return own === 0 ? free > 0 : free > 1 && own + 1 <= 3 * (free - 1);
  }
}
