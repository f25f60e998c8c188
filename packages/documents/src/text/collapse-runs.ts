/** Longest token, with what parts it from the next, whose repetition is looked for. */
const LONGEST_PERIOD = 32;

/** Every so many characters is looked whether the text repeats itself there, and how far back it must do so. */
const LOOK_EVERY = 128;
const LOOK_BACK = 64;

/** What stays of a run. */
const KEPT = 64;

/** From how many characters on a repetition is no content. Rules and empty cells of wide tables are legitimate. */
export const LONGEST_RUN = 512;
export const LONGEST_TABLE_RUN = 4_096;

/** How far a line of text is indented at most. */
const LONGEST_INDENT = 32;
const DEEP_INDENT = new RegExp(`^[ \\t]{${LONGEST_INDENT + 1},}`, 'gm');

/**
 * Shortens runs of one repeated token (`> > >`, `[[[[`, `a a a`) that have at least `longest` characters, so that they cost no more than what
 * they say. Takes time linear in the text's length.
 *
 * @param longest at least 256
 */
export function collapseRuns(text: string, longest: number): string {
  if (text.length < longest) return text;
  const pieces: string[] = [];
  let from = 0;
  for (let at = LOOK_BACK + LONGEST_PERIOD; at <= text.length; at += LOOK_EVERY) {
    if (at - from < LOOK_BACK + LONGEST_PERIOD) continue;
    const period = periodAt(text, at);
    if (period === 0) continue;
    const run = runAround(text, from, at, period);
    if (run.end - run.start >= longest) {
      const kept = wholeCharacters(text, run.start + Math.floor(KEPT / period) * period);
      pieces.push(text.slice(from, kept));
      from = wholeCharacters(text, run.end);
    }
    at = Math.max(at, run.end - LOOK_EVERY);
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from);
}

/** Shortens the indentation of lines that are set in deeper than anybody reads. */
export function collapseIndents(text: string): string {
  return text.replace(DEEP_INDENT, (indent) => indent.slice(0, LONGEST_INDENT));
}

/** The shortest period of what stands before a place; 0: it does not repeat itself. */
function periodAt(text: string, at: number): number {
  for (let period = 1; period <= LONGEST_PERIOD; period += 1) {
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

/** The place, or the one before where it would tear a character apart. */
function wholeCharacters(text: string, at: number): number {
  const isTorn = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isTorn ? at - 1 : at;
}
