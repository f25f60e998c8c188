import { endsSentence, isSentenceEnd } from './sentence-end.ts';
import { hasWords, speakable } from './speakable.ts';

/** A piece of an answer that is spoken in one go. */
export interface Clause {
  /** As it is spoken. */
  text: string;
  /** Where each UTF-16 unit of `text` stands in the answer. */
  positions: number[];
  /** Which part of the answer it covers, with the marks that are not spoken. */
  start: number;
  end: number;
}

/** The first clause may be short: it is what one waits for. In characters. */
const FIRST_COMMA_AFTER = 16;
/** It may be a word alone, such as `Sure,`: while that is heard, the next one is made. In characters. */
const LONGEST_OPENER = 5;

/** A later one ends at a comma only when it is as long as this, and anywhere between words beyond the longest. */
const COMMA_AFTER = 90;
const LONGEST = 260;

/** A link or a span of code that is open after so many characters is none. */
const LONGEST_SPAN = 400;

/** A line that begins or ends a block of code, as far as it has come. */
const FENCE = /^ {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)\n?$/;

/** Cuts an answer into clauses while it comes. Blocks of code are left out. */
export class ClauseCutter {
  /** What has come and is in no clause yet, and where that begins in the answer. */
  #waiting = '';
  #at = 0;
  #lineStart = true;
  #spoken = 0;
  /** The marks that opened a block of code; null: none is open. */
  #fence: string | null = null;

  /** The clauses that are complete now that this piece has come. */
  take(piece: string): Clause[] {
    this.#waiting += piece;
    return this.#cut(false);
  }

  /** Nothing has come for a moment: a sentence that is whole needs not wait for what follows it. */
  settle(): Clause[] {
    const text = this.#waiting;
    const mayBeCode = this.#fence !== null || (this.#lineStart && marksOf(text) !== null);
    if (mayBeCode || isOpenSpan(text) || !endsSentence(text)) return [];
    const clause = this.#consume(text.length);
    return clause === null ? [] : [clause];
  }

  /** What is left at the end of the answer. */
  rest(): Clause[] {
    return this.#cut(true);
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

  /** Leaves out what belongs to a block of code, line by line. Answers whether anything was. */
  #skipCode(ended: boolean): boolean {
    if (!this.#lineStart && this.#fence === null) return false;
    const newline = this.#waiting.indexOf('\n');
    if (newline < 0 && !ended) {
      // Of a line of code without an end only its beginning matters.
      if (this.#waiting.length < LONGEST_SPAN) return false;
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

  /** Where the next clause ends; null: that is not known yet. */
  #nextEnd(ended: boolean): number | null {
    const text = this.#waiting;
    if (this.#lineStart && !ended && !text.includes('\n') && marksOf(text) !== null) return null;
    const commaAfter = this.#spoken === 0 ? FIRST_COMMA_AFTER : COMMA_AFTER;
    let lastSpace = -1;
    for (let at = 0; at < text.length; at++) {
      const sign = text[at] as string;
      if (sign === '\n') {
        // Before the next line has begun, it is not known whether it is code; and what ends here needs no other line.
        return at + 1;
      }
      if (at >= LONGEST) return lastSpace > 0 ? lastSpace : at - (isSecondHalf(sign) ? 1 : 0);
      if (/\s/.test(sign)) lastSpace = at + 1;
      const isEnd = isSentenceEnd(text, at, ended);
      if (isEnd === null) return null;
      const mayPause = at >= commaAfter || (this.#spoken === 0 && at <= LONGEST_OPENER);
      const isPause = !isEnd && mayPause && isClauseEnd(text, at, ended);
      if (!isEnd && !isPause) continue;
      const end = behindClosing(text, at + 1);
      // What closes the sentence may still come.
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

/** A pause within a sentence. */
function isClauseEnd(text: string, at: number, ended: boolean): boolean {
  const sign = text[at] as string;
  if ('、，；：'.includes(sign)) return true;
  if (!',;:–—،؛'.includes(sign)) return false;
  const next = text[at + 1];
  return next === undefined ? ended : /\s/.test(next);
}

/** The end of what closes behind a sentence: quotation marks, brackets, a blank. */
function behindClosing(text: string, from: number): number {
  let end = from;
  while (end < text.length && /["'”’»)\]*_」』）]/.test(text[end] as string)) end += 1;
  return end < text.length && /[ \t]/.test(text[end] as string) ? end + 1 : end;
}

const isSecondHalf = (sign: string) => sign >= '\udc00' && sign <= '\udfff';

/** Whether a link or a span of code has begun and not ended. */
function isOpenSpan(text: string): boolean {
  if (text.length > LONGEST_SPAN) return false;
  const ticks = text.match(/`/g)?.length ?? 0;
  if (ticks % 2 === 1) return true;
  return /\[[^\]\n]*$|\]\([^)\n]*$/.test(text);
}
