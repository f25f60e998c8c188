/** Estimates how much audio a client has played, if it does not report that itself. Times in milliseconds. */
export class PlayoutClock {
  #playedMs = 0;
  #sentMs = 0;
  #at: number | null = null;
  #paused = false;
  readonly #delayMs: number;

  /** @param delayMs latency of network and playback */
  constructor(delayMs = 0) {
    this.#delayMs = delayMs;
  }

  /** Records sent audio. If all earlier audio was played, playback resumes when it arrives. */
  sent(ms: number, now: number): void {
    this.#advance(now);
    // Everything was played, so the clock restarts with this piece.
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
