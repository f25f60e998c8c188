/** Longest token, separator included, whose repetition is detected. */
const MAX_PERIOD = 32;

/** Characters between two checks. A repetition must reach back this far. */
const CHECK_INTERVAL = 128;
const LOOK_BACK = 64;

const KEPT_CHARACTERS = 64;

/** Minimum length of a meaningless run. Rules and empty cells of wide tables are shorter. */
export const MAX_RUN = 512;
export const MAX_TABLE_RUN = 4_096;

const MAX_INDENT = 32;
const DEEP_INDENT = new RegExp(`^[ \\t]{${MAX_INDENT + 1},}`, 'gm');

/**
 * Shortens runs of one repeated token (`> > >`, `[[[[`, `a a a`) of at least `longest` characters, in linear
 * time.
 *
 * @param longest at least 256
 */
export function collapseRuns(text: string, longest: number): string {
  if (text.length < longest) return text;
  const pieces: string[] = [];
  let from = 0;
  for (let at = LOOK_BACK + MAX_PERIOD; at <= text.length; at += CHECK_INTERVAL) {
    if (at - from < LOOK_BACK + MAX_PERIOD) continue;
    const period = periodAt(text, at);
    if (period === 0) continue;
    const run = runAround(text, from, at, period);
    if (run.end - run.start >= longest) {
      const kept = wholeCharacters(text, run.start + Math.floor(KEPT_CHARACTERS / period) * period);
      pieces.push(text.slice(from, kept));
      from = wholeCharacters(text, run.end);
    }
    at = Math.max(at, run.end - CHECK_INTERVAL);
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from);
}

export function collapseIndents(text: string): string {
  return text.replace(DEEP_INDENT, (indent) => indent.slice(0, MAX_INDENT));
}

/** Returns the shortest period of the text before a position. 0 if it does not repeat. */
function periodAt(text: string, at: number): number {
  for (let period = 1; period <= MAX_PERIOD; period += 1) {
    let back = 1;
    while (back <= LOOK_BACK && text.charCodeAt(at - back) === text.charCodeAt(at - back - period)) back += 1;
    if (back > LOOK_BACK) return period;
  }
  return 0;
}

function runAround(text: string, from: number, at: number, period: number): { start: number; end: number } {
  let start = at - LOOK_BACK - period;
  while (start > from && text.charCodeAt(start - 1) === text.charCodeAt(start - 1 + period)) start -= 1;
  let end = at;
  while (end < text.length && text.charCodeAt(end) === text.charCodeAt(end - period)) end += 1;
  return { start, end };
}

/** Returns the position, or the one before if it would split a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  const splitsSurrogatePair =
    (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return splitsSurrogatePair ? at - 1 : at;
}
