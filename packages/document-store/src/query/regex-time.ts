import { locationError } from '../errors.ts';
import { currentAccount, type MemoryAccount } from '../memory.ts';
import { currentSlice } from '../storage/scheduler.ts';

/** Time for matches in one slice, which exceeds its usual length only for a single document. */
const SLICE_MS = 50;
const COMMAND_MS = 2_000;
const GUARD_MS = 0.2;

class RegexTimeLimit {
  readonly #usedByCommand = new WeakMap<MemoryAccount, number>();
  #slice = -1;
  #elapsed = 0;
  #sliceStart = 0;

  /** Runs a match known to be short. Throws 51156 when the slice's matches took too long. */
  unguarded<Result>(match: () => Result): Result {
    this.#begin();
    const started = performance.now();
    const result = match();
    this.#elapsed += performance.now() - started;
    this.#check();
    return result;
  }

  /**
   * Runs a match that stops at the given timeout. Repeats it if it was stopped before using up its CPU time, as on
   * a busy machine. Throws 51156 when the slice or command is out of time.
   */
  guarded<Result>(match: (timeoutMs: number) => Result): Result {
    this.#begin();
    for (;;) {
      const started = performance.now();
      const threadStart = threadTimeMs();
      try {
        return match(Math.ceil(this.#remaining()));
      } catch (error) {
        if (!isTimeout(error)) throw error;
      } finally {
        this.#elapsed += performance.now() - started;
        this.#countForCommand(threadTimeMs() - threadStart - GUARD_MS);
        this.#check();
      }
    }
  }

  #remaining(): number {
    return Math.max(1, SLICE_MS - Math.min(this.#elapsed, threadTimeMs() - this.#sliceStart));
  }

  /** Outside commands, each match has its own limit. */
  #begin(): void {
    if (this.#slice === currentSlice() && currentAccount()) return;
    this.#slice = currentSlice();
    this.#elapsed = 0;
    this.#sliceStart = threadTimeMs();
  }

  /** Uses the thread's CPU time, so that a busy machine fails no query. */
  #check(): void {
    if (this.#elapsed >= SLICE_MS && threadTimeMs() - this.#sliceStart >= SLICE_MS)
      throw timeLimitError('one document');
  }

  #countForCommand(milliseconds: number): void {
    const command = currentAccount();
    if (!command || milliseconds <= 0) return;
    const used = (this.#usedByCommand.get(command) ?? 0) + milliseconds;
    this.#usedByCommand.set(command, used);
    if (used > COMMAND_MS) throw timeLimitError('one command');
  }
}

function timeLimitError(limit: string): Error {
  return locationError(
    51156,
    `Error occurred while executing the regular expression: it takes too many steps for ${limit}`,
  );
}

export function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export const regexTime = new RegexTimeLimit();
