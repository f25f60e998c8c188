import { createContext, Script } from 'node:vm';
import { badValue, locationError } from '../errors.ts';
import { type PatternCost, translatePattern } from './regex-syntax.ts';

/** Longer patterns are refused, as MongoDB does. */
const maximumPatternLength = 32_764;
/** A match that is estimated to take no more backtracking steps than this runs unguarded: a few milliseconds at most. */
const unguardedSteps = 1_000_000;
/** What one guarded match may take, and what all those of one compiled pattern may take together, in milliseconds. */
const matchBudgetMs = 250;
const patternBudgetMs = 2_000;
/** What the watchdog itself takes for each match, in milliseconds. */
const watchdogMs = 0.2;

/**
 * Compiles a regular expression of a query to a test of strings.
 *
 * JavaScript's matcher backtracks, so a hostile pattern could hold the process for ever. Each pattern gets an estimate of
 * its worst case as it is compiled (see `PatternCost`); for a text where that is small, which is nearly always, the pattern
 * runs as it is. Otherwise it runs under a watchdog that interrupts it, which costs 0.1 ms for each text; a match that takes
 * over 250 ms, or matches that take 2 s together, fail the query with code 51156. A bound on time was chosen over a
 * linear-time engine, because that could not run look-around and back-references, and over a bound on length alone,
 * because 30 characters are enough for (a+)+$.
 *
 * Throws 51091 for an invalid pattern, 51108 for an unknown option.
 */
export function compileRegex(pattern: string, options: string): (text: string) => boolean {
  const search = compileSearch(pattern, options);
  return (text) => search(text, 0) !== null;
}

/** As `compileRegex`, but gives the first match at or after a place in the text. */
export function compileSearch(
  pattern: string,
  options: string,
): (text: string, from: number) => RegExpExecArray | null {
  if (pattern.includes('\0')) throw badValue('Regular expression cannot contain an embedded null byte');
  if (pattern.length > maximumPatternLength) {
    throw locationError(51091, 'Regular expression is invalid: regular expression is too large');
  }
  for (const option of options) {
    if (!'imsux'.includes(option)) throw locationError(51108, `invalid flag in regex options: ${option}`);
  }
  const { source, flags, cost } = translatePattern(pattern, options);
  const regex = createRegex(source, `${flags}g`);
  const watched = watch(regex);
  return (text, from) => {
    regex.lastIndex = from;
    return estimatedSteps(cost, text.length) <= unguardedSteps ? run(() => regex.exec(text)) : watched(text);
  };
}

function createRegex(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Unicode mode refuses needless escapes, such as \-, that MongoDB takes.
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw locationError(51091, `Regular expression is invalid: ${(error as Error).message}`);
    }
  }
}

function estimatedSteps(cost: PatternCost, length: number): number {
  if (cost.exponential) return (cost.factor + 2) ** length;
  return cost.factor * (length + 1) ** cost.degree;
}

/** V8 compiles a pattern when it first runs, and refuses then one that has grown too large. */
function run<Result>(search: () => Result): Result {
  try {
    return search();
  } catch (error) {
    if (isTimeout(error)) throw error;
    throw locationError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

const searchScript = new Script('regex.exec(text)');
let watchedGlobals: { regex?: RegExp; text?: string } | undefined;

/** Runs a pattern under the watchdog. What is counted is this thread's own time, so that a busy machine fails no query. */
function watch(regex: RegExp): (text: string) => RegExpExecArray | null {
  let usedMs = 0;
  return (text) => {
    const limitMs = Math.min(patternBudgetMs, usedMs + matchBudgetMs);
    watchedGlobals ??= createContext(Object.create(null) as object);
    const globals = watchedGlobals;
    globals.regex = regex;
    globals.text = text;
    while (usedMs < limitMs) {
      const before = threadTimeMs();
      try {
        return run(
          () => searchScript.runInContext(globals, { timeout: Math.ceil(limitMs - usedMs) }) as RegExpExecArray,
        );
      } catch (error) {
        if (!isTimeout(error)) throw error;
      } finally {
        usedMs += Math.max(0, threadTimeMs() - before - watchdogMs);
      }
    }
    throw locationError(51156, 'Error occurred while executing the regular expression: it takes too many steps');
  };
}

function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
