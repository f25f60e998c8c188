import { createContext, Script } from 'node:vm';
import { badValue, locationError } from '../errors.ts';
import { type PatternCost, translatePattern } from './regex-syntax.ts';
import { isTimeout, regexTime } from './regex-time.ts';

const MAX_PATTERN_LENGTH = 32_764;
/** Matches with a lower estimate, which take a few milliseconds at most, run unguarded. */
const MAX_UNGUARDED_STEPS = 1_000_000;

/**
 * Compiles a regular expression to a predicate on strings.
 *
 * JavaScript's matcher backtracks, so a hostile pattern could block the process. A pattern with a
 * high estimated cost (see `PatternCost`) runs under a watchdog, at 0.1 ms per match. All matches
 * count against the time limit of `RegexTimeLimit`. A linear-time engine would lack look-around and
 * back-references, and would still need a time limit for long texts.
 *
 * Throws 51091 for an invalid pattern and 51108 for an unknown option.
 */
export function compileRegex(pattern: string, options: string): (text: string) => boolean {
  const search = compileSearch(pattern, options);
  return (text) => search(text, 0) !== null;
}

/** Returns the first match at or after an offset. */
export type RegexSearch = (text: string, from: number) => RegExpExecArray | null;

export function compileSearch(pattern: string, options: string): RegexSearch {
  if (pattern.includes('\0')) throw badValue('Regular expression cannot contain an embedded null byte');
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw locationError(51091, 'Regular expression is invalid: regular expression is too large');
  }
  for (const option of options) {
    if (!'imsux'.includes(option)) throw locationError(51108, `invalid flag in regex options: ${option}`);
  }
  const { source, flags, cost } = translatePattern(pattern, options);
  const regex = createRegex(source, `${flags}g`);
  const isUnguarded = (text: string) => estimatedSteps(cost, text.length) <= MAX_UNGUARDED_STEPS;
  return (text, from) => {
    if (!isUnguarded(text)) return execWithTimeout(regex, text, from);
    regex.lastIndex = from;
    return regexTime.unguarded(() => run(() => regex.exec(text)));
  };
}

function createRegex(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Unicode mode rejects needless escapes such as \-, which MongoDB accepts.
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

/** V8 compiles a pattern on its first run and may reject it as too large. */
function run<Result>(search: () => Result): Result {
  try {
    return search();
  } catch (error) {
    if (isTimeout(error)) throw error;
    throw locationError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

const searchScript = new Script('regex.exec(text)');
let scriptGlobals: { regex?: RegExp; text?: string } | undefined;

function execWithTimeout(regex: RegExp, text: string, from: number): RegExpExecArray | null {
  scriptGlobals ??= createContext(Object.create(null) as object);
  const globals = scriptGlobals;
  globals.regex = regex;
  globals.text = text;
  return regexTime.guarded((timeout) => {
    regex.lastIndex = from;
    return run(() => searchScript.runInContext(globals, { timeout }) as RegExpExecArray | null);
  });
}
