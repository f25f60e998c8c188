import { type Clause, ClauseCutter } from '../text/clause-cutter.ts';

export interface SpokenAnswerParts {
  /** Synthesizes a clause as a stream of samples. */
  speak(clause: Clause, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Receives samples in order, with their clause. Awaited before the next ones. */
  hear(pcm: Uint8Array, clause: Clause): Promise<void>;
  /** Called when a clause is complete. */
  whole?(clause: Clause): void;
  signal: AbortSignal;
}

/** A complete sentence is spoken if no text follows within this time. */
const QUIET_MS = 100;

/** Speaks an answer while it is written, and synthesizes the next clause during playback. */
export class SpokenAnswer {
  readonly #parts: SpokenAnswerParts;
  readonly #cutter = new ClauseCutter();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #clauses: Clause[] = [];
  #wake: (() => void) | null = null;
  #complete = false;
  #quiet: NodeJS.Timeout | undefined;
  /** Pending while paused. */
  #held: PromiseWithResolvers<void> | null = null;
  readonly #running: Promise<void>;

  constructor(parts: SpokenAnswerParts) {
    this.#parts = parts;
    this.#signal = AbortSignal.any([parts.signal, this.#stop.signal]);
    const stopped = () => {
      clearTimeout(this.#quiet);
      this.resume();
    };
    this.#signal.addEventListener('abort', stopped, { once: true });
    this.#running = this.#run();
    this.#running.catch(() => undefined);
  }

  take(text: string): void {
    this.#add(this.#cutter.take(text));
    clearTimeout(this.#quiet);
    if (!this.#signal.aborted) this.#quiet = setTimeout(() => this.#add(this.#cutter.settle()), QUIET_MS);
  }

  /** Speaks words that are not part of the answer, after the text so far. */
  say(text: string): void {
    clearTimeout(this.#quiet);
    this.#add([...this.#cutter.rest(), this.#cutter.aside(text)]);
  }

  /** Ends the text. Resolves when everything has been spoken. Throws errors of `speak`. */
  async end(): Promise<void> {
    clearTimeout(this.#quiet);
    this.#complete = true;
    this.#add(this.#cutter.rest());
    await this.#running;
  }

  /** Starts no further clause until `resume`. The current one continues. */
  pause(): void {
    this.#held ??= Promise.withResolvers();
  }

  resume(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  /** Stops speaking. The caller decides how much was heard. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake?.();
    await this.#running.catch(() => undefined);
  }

  #add(clauses: Clause[]): void {
    this.#clauses.push(...clauses);
    this.#wake?.();
  }

  async #run(): Promise<void> {
    let ahead = this.#begin(await this.#next());
    while (ahead !== null) {
      const current = ahead;
      const next = this.#next().then((clause) => this.#begin(clause));
      next.catch(() => undefined);
      for (;;) {
        const { done, value } = await current.first;
        if (done) break;
        current.first = current.sound.next();
        current.first.catch(() => undefined);
        this.#signal.throwIfAborted();
        await this.#parts.hear(value, current.clause);
      }
      this.#parts.whole?.(current.clause);
      ahead = await next;
    }
  }

  /** Starts synthesis early, before the samples are needed. */
  #begin(clause: Clause | null) {
    if (clause === null) return null;
    const sound = this.#parts.speak(clause, this.#signal)[Symbol.asyncIterator]();
    const first = sound.next();
    first.catch(() => undefined);
    return { clause, sound, first };
  }

  async #next(): Promise<Clause | null> {
    for (;;) {
      await this.#held?.promise;
      this.#signal.throwIfAborted();
      const clause = this.#clauses.shift();
      if (clause !== undefined) return clause;
      if (this.#complete) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
}
