import { createContext, Script } from 'node:vm';
import { badValue, locationError } from '../errors.ts';
import { type PatternCost, translatePattern } from './regex-syntax.ts';
import { regexTime } from './regex-time.ts';

/** Longer patterns are refused, as MongoDB does. */
const maximumPatternLength = 32_764;
/** A match that is estimated to take no more backtracking steps than this runs unguarded: a few milliseconds at most. */
const unguardedSteps = 1_000_000;

/**
 * Compiles a regular expression of a query to a test of strings.
 *
 * JavaScript's matcher backtracks, so a hostile pattern could hold the process indefinitely. Each pattern gets an estimate of its worst
 * case when it is compiled (see `PatternCost`). Where that is small, as for nearly all, the pattern runs as it is. Otherwise it runs
 * under a watchdog that interrupts it, which costs 0.1 ms for each text. All matches of a command count, whatever their pattern:
 * `RegexTime` fails the command with code 51156. A linear-time engine was not chosen because it cannot run look-around and
 * back-references, and would still need a bound on time for long texts.
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
  const isUnguarded = (text: string) => estimatedSteps(cost, text.length) <= unguardedSteps;
  return (text, from) => {
    if (!isUnguarded(text)) return watched(regex, text, from);
    regex.lastIndex = from;
    return regexTime.unguarded(() => run(() => regex.exec(text)));
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

/** Runs a pattern under the watchdog. */
function watched(regex: RegExp, text: string, from: number): RegExpExecArray | null {
  watchedGlobals ??= createContext(Object.create(null) as object);
  const globals = watchedGlobals;
  globals.regex = regex;
  globals.text = text;
  for (;;) {
    regex.lastIndex = from;
    const timeout = Math.ceil(regexTime.left());
    try {
      return regexTime.guarded(() => run(() => searchScript.runInContext(globals, { timeout }) as RegExpExecArray));
    } catch (error) {
      // On a busy machine others had a part of the time: then there is some left.
      if (!isTimeout(error)) throw error;
    }
  }
}
