import { endsSentence, isSentenceEnd } from './sentence-end.ts';
import { hasWords, speakable } from './speakable.ts';

/** A piece of an answer that is spoken at once. */
export interface Clause {
  text: string;
  /** Position of each UTF-16 unit of `text` in the answer. */
  positions: number[];
  /** Range in the answer, including unspoken markup. */
  start: number;
  end: number;
}

/** Minimum characters before a comma that ends the first clause, which should come fast. */
const FIRST_COMMA_AFTER = 16;
/** Maximum length of a one-word opener, such as `Sure,`, which covers the time to generate the next clause. */
const MAX_OPENER = 5;

/** Minimum length of later clauses before a comma ends them, and the maximum, after which they end between words. */
const COMMA_AFTER = 90;
const MAX_CLAUSE = 260;

/** Links and code spans that stay open for longer count as text. */
const MAX_SPAN = 400;

/** A line that opens or closes a code block, as far as received. */
const FENCE = /^ {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)\n?$/;

/** Cuts an answer into clauses while it arrives, without code blocks. */
export class ClauseCutter {
  #waiting = '';
  #at = 0;
  #lineStart = true;
  #spoken = 0;
  #fence: string | null = null;

  take(piece: string): Clause[] {
    this.#waiting += piece;
    return this.#cut(false);
  }

  /** Returns a complete sentence without waiting for more text, after a pause. */
  settle(): Clause[] {
    const text = this.#waiting;
    const mayBeCode = this.#fence !== null || (this.#lineStart && marksOf(text) !== null);
    if (mayBeCode || isOpenSpan(text) || !endsSentence(text)) return [];
    const clause = this.#consume(text.length);
    return clause === null ? [] : [clause];
  }

  /** Returns the rest at the end of the answer. */
  rest(): Clause[] {
    return this.#cut(true);
  }

  /** Returns words that are not part of the answer, at its current position. */
  aside(text: string): Clause {
    return { text, positions: [], start: this.#at, end: this.#at };
  }

  #cut(ended: boolean): Clause[] {
    const clauses: Clause[] = [];
    for (;;) {
      if (this.#skipCode(ended)) continue;
      const end = this.#fence === null ? this.#nextEnd(ended) : null;
      if (end === null) return clauses;
      const clause = this.#consume(end);
      if (clause !== null) clauses.push(clause);
    }
  }

  /** Skips code blocks line by line. Returns whether it skipped anything. */
  #skipCode(ended: boolean): boolean {
    if (!this.#lineStart && this.#fence === null) return false;
    const newline = this.#waiting.indexOf('\n');
    if (newline < 0 && !ended) {
      // Only the start of an endless line of code matters.
      if (this.#waiting.length < MAX_SPAN) return false;
      this.#fence ??= marksOf(this.#waiting);
      if (this.#fence !== null) this.#drop(this.#waiting.length);
      return false;
    }
    const line = newline < 0 ? this.#waiting : this.#waiting.slice(0, newline + 1);
    if (line === '') return false;
    const marks = this.#lineStart ? marksOf(line) : null;
    if (this.#fence === null) {
      if (marks === null) return false;
      this.#fence = marks;
    } else if (marks?.startsWith(this.#fence)) this.#fence = null;
    this.#drop(line.length);
    return true;
  }

  #drop(length: number): void {
    this.#lineStart = this.#waiting[length - 1] === '\n';
    this.#waiting = this.#waiting.slice(length);
    this.#at += length;
  }

  #consume(end: number): Clause | null {
    const raw = this.#waiting.slice(0, end);
    const start = this.#at;
    const { text, positions } = speakable(raw, this.#lineStart);
    this.#drop(end);
    if (!hasWords(text)) return null;
    this.#spoken += 1;
    return { text, positions: positions.map((position) => start + position), start, end: start + end };
  }

  /** Returns the end of the next clause. Null if not known yet. */
  #nextEnd(ended: boolean): number | null {
    const text = this.#waiting;
    if (this.#lineStart && !ended && !text.includes('\n') && marksOf(text) !== null) return null;
    const commaAfter = this.#spoken === 0 ? FIRST_COMMA_AFTER : COMMA_AFTER;
    let lastSpace = -1;
    for (let at = 0; at < text.length; at++) {
      const sign = text[at] as string;
      if (sign === '\n') {
        // Ends at the line break, since the next line may turn out to be code.
        return at + 1;
      }
      if (at >= MAX_CLAUSE) return lastSpace > 0 ? lastSpace : at - (isSecondHalf(sign) ? 1 : 0);
      if (/\s/.test(sign)) lastSpace = at + 1;
      const isEnd = isSentenceEnd(text, at, ended);
      if (isEnd === null) return null;
      const mayPause = at >= commaAfter || (this.#spoken === 0 && at <= MAX_OPENER);
      const isPause = !isEnd && mayPause && isClauseEnd(text, at, ended);
      if (!isEnd && !isPause) continue;
      const end = skipClosing(text, at + 1);
      // Closing quotes or brackets may follow.
      if (end === text.length && !ended && !/[ \t]/.test(text[end - 1] as string)) return null;
      if (isOpenSpan(text.slice(0, end))) continue;
      return end;
    }
    return ended && text !== '' ? text.length : null;
  }
}

function marksOf(line: string): string | null {
  const [, ticks, tildes] = FENCE.exec(line) ?? [];
  return ticks ?? tildes ?? null;
}

function isClauseEnd(text: string, at: number, ended: boolean): boolean {
  const sign = text[at] as string;
  if ('、，；：'.includes(sign)) return true;
  if (!',;:–—،؛'.includes(sign)) return false;
  const next = text[at + 1];
  return next === undefined ? ended : /\s/.test(next);
}

/** Returns the position after closing quotation marks, brackets, and a space. */
function skipClosing(text: string, from: number): number {
  let end = from;
  while (end < text.length && /["'”’»)\]*_」』）]/.test(text[end] as string)) end += 1;
  return end < text.length && /[ \t]/.test(text[end] as string) ? end + 1 : end;
}

const isSecondHalf = (sign: string) => sign >= '\udc00' && sign <= '\udfff';

function isOpenSpan(text: string): boolean {
  if (text.length > MAX_SPAN) return false;
  const ticks = text.match(/`/g)?.length ?? 0;
  if (ticks % 2 === 1) return true;
  return /\[[^\]\n]*$|\]\([^)\n]*$/.test(text);
}
