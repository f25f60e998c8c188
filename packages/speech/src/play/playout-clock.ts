/** Estimates what somebody has heard of a sound that is sent to them a little ahead, where they don't tell themselves. All times in milliseconds. */
export class PlayoutClock {
  #playedMs = 0;
  #sentMs = 0;
  #at: number | null = null;
  #paused = false;
  readonly #delayMs: number;

  /** @param delayMs how long what is sent is on its way, and waits to be played */
  constructor(delayMs = 0) {
    this.#delayMs = delayMs;
  }

  /** More sound is sent. Where all before it was played, it begins to be played when it arrives. */
  sent(ms: number, now: number): void {
    this.#advance(now);
    // Nothing is left to be played: the clock starts anew with this piece.
    if (this.#playedMs >= this.#sentMs && !this.#paused) this.#at = now + this.#delayMs;
    this.#sentMs += ms;
  }

  get sentMs(): number {
    return this.#sentMs;
  }

  played(now: number): number {
    this.#advance(now);
    return this.#playedMs;
  }

  /** How much was sent that is not played yet. */
  ahead(now: number): number {
    return this.#sentMs - this.played(now);
  }

  pause(now: number): void {
    this.#advance(now);
    this.#paused = true;
  }

  resume(now: number): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#at = now;
  }

  #advance(now: number): void {
    if (this.#paused || this.#at === null || now <= this.#at) return;
    this.#playedMs = Math.min(this.#sentMs, this.#playedMs + (now - this.#at));
    this.#at = now;
  }
}
