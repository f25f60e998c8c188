import { ChorusError } from '@chorus/contract';

/** Socket slots of one process. A user can hold at most half, which leaves room for others. */
export class SocketSlots {
  readonly #limit: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  /** @param limit at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * @param holder the user who opens the socket, in any scope
   * @returns frees the slot; further calls have no effect
   * @throws {ChorusError} overloaded
   */
  take(holder: string): () => void {
    const held = this.#held.get(holder) ?? 0;
    if (this.#taken >= this.#limit) throw full('This process has no room for another voice socket. Retry later.');
    if (held >= Math.ceil(this.#limit / 2))
      throw full(`You already have ${held} voice sockets open here, the most a user may have.`);
    this.#held.set(holder, held + 1);
    this.#taken += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#taken -= 1;
      const left = (this.#held.get(holder) ?? 1) - 1;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    };
  }
}

function full(message: string): ChorusError {
  return new ChorusError('overloaded', message, { retryAfterS: 5 });
}
