import { type Clause, ClauseCutter } from '../text/clause-cutter.ts';

export interface SpokenAnswerParts {
  /** Speaks a clause: samples, as they are made. */
  speak(clause: Clause, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Takes samples in their order, with the clause that they belong to; waited for before the next ones. */
  hear(pcm: Uint8Array, clause: Clause): Promise<void>;
  /** A clause has all of its sound. */
  whole?(clause: Clause): void;
  signal: AbortSignal;
}

/** Text that has ended with a sentence is not waited for any longer when nothing has come for so long, in milliseconds. */
const QUIET_MS = 100;

/** Speaks an answer while it is written, clause by clause: while one is heard, the next one is made. */
export class SpokenAnswer {
  readonly #parts: SpokenAnswerParts;
  readonly #cutter = new ClauseCutter();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #clauses: Clause[] = [];
  #wake: (() => void) | null = null;
  #complete = false;
  #quiet: NodeJS.Timeout | undefined;
  /** Null: clauses are begun as they come. */
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

  /** More of the text. */
  take(text: string): void {
    this.#add(this.#cutter.take(text));
    clearTimeout(this.#quiet);
    if (!this.#signal.aborted) this.#quiet = setTimeout(() => this.#add(this.#cutter.settle()), QUIET_MS);
  }

  /** The text is complete: resolves when all of it was spoken. Throws what speaking threw. */
  async end(): Promise<void> {
    clearTimeout(this.#quiet);
    this.#complete = true;
    this.#add(this.#cutter.rest());
    await this.#running;
  }

  /** Until `resume` no other clause is begun; the one that is spoken now is spoken to its end. */
  pause(): void {
    this.#held ??= Promise.withResolvers();
  }

  resume(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  /** Speaks no more; what was heard is the caller's business. */
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

  /** Begins to speak a clause: its first samples are made before they are asked for. */
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
