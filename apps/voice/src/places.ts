import { ChorusError } from '@chorus/contract';

/** The sockets that one process has room for. Nobody holds more than half of them, so there is always room for others. */
export class Places {
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
   * Takes a place.
   *
   * @param holder the user who has the socket open, in whatever scope
   * @returns gives the place back; once is enough
   * @throws {ChorusError} overloaded
   */
  take(holder: string): () => void {
    const held = this.#held.get(holder) ?? 0;
    if (this.#taken >= this.#limit) throw full('This process has no place for another voice socket.');
    if (held >= Math.ceil(this.#limit / 2))
      throw full(`You have ${held} voice sockets open here, as many as one user may.`);
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
