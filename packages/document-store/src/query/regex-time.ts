import { locationError } from '../errors.ts';
import { currentHolding, type Holding } from '../memory.ts';
import { currentSlice } from '../storage/turns.ts';

/** What the matches of one slice may take. A slice lasts longer than planned only when it works on a single document. */
const SLICE_MS = 50;
/** What the guarded matches of one command or cursor may take together. */
const COMMAND_MS = 2_000;
/** What the guard itself takes for each match. */
const GUARD_MS = 0.2;

/** Bounds the time for which regular expressions hold up all other commands. */
class RegexTime {
  readonly #ofCommands = new WeakMap<Holding, number>();
  #slice = -1;
  #elapsed = 0;
  #sliceStart = 0;

  /** What the running slice has left, at least 1 ms. */
  left(): number {
    this.#begin();
    return Math.max(1, SLICE_MS - Math.min(this.#elapsed, threadTimeMs() - this.#sliceStart));
  }

  /** Runs a match that is known to be short. Throws 51156 when all matches of the slice took too long. */
  unguarded<Result>(match: () => Result): Result {
    this.#begin();
    const started = performance.now();
    const result = match();
    this.#elapsed += performance.now() - started;
    this.#check();
    return result;
  }

  /** Runs a match that can be interrupted. Throws 51156 when the slice or the command has used its time. */
  guarded<Result>(match: () => Result): Result {
    this.#begin();
    const started = performance.now();
    const threadStart = threadTimeMs();
    try {
      return match();
    } finally {
      this.#elapsed += performance.now() - started;
      this.#countForCommand(threadTimeMs() - threadStart - GUARD_MS);
      this.#check();
    }
  }

  /** Outside of commands each match counts alone. */
  #begin(): void {
    if (this.#slice === currentSlice() && currentHolding()) return;
    this.#slice = currentSlice();
    this.#elapsed = 0;
    this.#sliceStart = threadTimeMs();
  }

  /** The thread's own time decides, so that a busy machine fails no query. */
  #check(): void {
    if (this.#elapsed >= SLICE_MS && threadTimeMs() - this.#sliceStart >= SLICE_MS) throw tooManySteps('one document');
  }

  #countForCommand(milliseconds: number): void {
    const command = currentHolding();
    if (!command || milliseconds <= 0) return;
    const used = (this.#ofCommands.get(command) ?? 0) + milliseconds;
    this.#ofCommands.set(command, used);
    if (used > COMMAND_MS) throw tooManySteps('one command');
  }
}

function tooManySteps(limit: string): Error {
  return locationError(
    51156,
    `Error occurred while executing the regular expression: it takes too many steps for ${limit}`,
  );
}

function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The time of the commands that run in this process. */
export const regexTime = new RegexTime();
