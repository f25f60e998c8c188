import type { CitationItem } from '@chorus/contract';
import { sentencesOf } from '../ranking/sentences.ts';
import type { Passage } from './find-passages.ts';
import { type QuotedSource, quotedSource, quoteFor } from './quote-for.ts';

/** Part of an answer that is ready to show. */
export interface CitedPiece {
  text: string;
  citations: CitationItem[];
}

/** Context to keep for a marker: enough for the last sentence. */
const LOOK_BACK = 1_000;

/** Maximum length of a bracket that may be a marker. */
const MAX_MARKER_LENGTH = 64;

/** Markers that models write: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `[Source 2]`, `【3】`, `【3†title】`. */
const MARKER =
  /^(?:\[\s*(?:\^|(?:sources?|quellen?|fuentes?)\s*)?(\d{1,3}(?:\s*[,;–-]\s*(?:source\s*)?\d{1,3})*)\s*\]|【\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\s*(?:†[^【】\n]{0,40})?】)/i;
/** Matches the beginning of a marker, which needs more text. */
const MARKER_PREFIX = /^(?:\[\s*\^?[a-z]{0,8}[\s\d,;–-]*(?:source\s*\d*)?|【[\s\d,;–-]*(?:†[^【】\n]*)?)$/i;

/** Maximum number of citations and quote lookups per answer. Later markers refer to their source's first citation. */
const MAX_CITATIONS = 200;
const MAX_LOOKUPS = 1_000;

/** Maximum number of sources in a range of numbers. */
const MAX_RUN = 20;

/**
 * Turns source numbers in a streamed answer into citations. In its output, `[1]` is the first citation, and so on.
 * Each is a verbatim quote. Unknown numbers are removed with the space before them. Brackets in code stay.
 */
export class CitedText {
  readonly #sources: readonly Passage[];
  readonly #question: string;
  /** Text that is held back because it may become a marker. */
  #waiting = '';
  /** The end of the text without markers, and the part since the last marker. */
  #text = '';
  #clause = '';
  /** Backticks of the open code span or block; empty outside code. */
  #code = '';
  /** Citation number by source number and quote. */
  readonly #markers = new Map<string, number>();
  readonly #firsts = new Map<number, number>();
  #lookups = 0;
  readonly #quoted = new Map<number, QuotedSource>();
  /** Sources cited since the last word: each statement cites a source once. */
  #lately = new Set<number>();

  /** @param sources in the order of their numbers, from 1 */
  constructor(sources: readonly Passage[], question: string) {
    this.#sources = sources;
    this.#question = question;
  }

  take(piece: string): CitedPiece {
    this.#waiting += piece;
    return this.#read(false);
  }

  rest(): CitedPiece {
    return this.#read(true);
  }

  #read(ended: boolean): CitedPiece {
    let text = '';
    const citations: CitationItem[] = [];
    while (this.#waiting !== '') {
      const plain = plainLength(this.#waiting, this.#code, ended);
      text += this.#addText(this.#waiting.slice(0, plain));
      this.#waiting = this.#waiting.slice(plain);
      const found = /^(\s*)([[【`])/.exec(this.#waiting);
      if (found === null) {
        if (!ended) break;
        text += this.#addText(this.#waiting);
        this.#waiting = '';
        break;
      }
      const [, blank = '', sign] = found;
      const behind = this.#waiting.slice(blank.length);
      if (sign === '`') {
        const run = /^`+/.exec(behind)?.[0] ?? '';
        if (!ended && run.length === behind.length) break;
        this.#code = this.#code === '' ? run : this.#code === run ? '' : this.#code;
        text += this.#addText(blank + run);
        this.#waiting = behind.slice(run.length);
        continue;
      }
      const marker = this.#code === '' ? MARKER.exec(behind) : null;
      if (marker !== null) {
        const shown = this.#cite(marker[1] ?? marker[2] ?? '', citations);
        text += shown === '' ? '' : blank + shown;
        this.#waiting = behind.slice(marker[0].length);
        continue;
      }
      const mayBecomeMarker = this.#code === '' && behind.length < MAX_MARKER_LENGTH && MARKER_PREFIX.test(behind);
      if (mayBecomeMarker && !ended) break;
      text += this.#addText(blank + sign);
      this.#waiting = behind.slice(1);
    }
    return { text, citations };
  }

  #addText(text: string): string {
    if (text === '') return '';
    this.#text = (this.#text + text).slice(-LOOK_BACK);
    this.#clause = (this.#clause + text).slice(-LOOK_BACK);
    if (/[\p{L}\p{N}]/u.test(text)) this.#lately.clear();
    // Inline code ends with its paragraph.
    if (this.#code !== '' && this.#code.length < 3 && /\n\s*\n/.test(text)) this.#code = '';
    return text;
  }

  #cite(numbers: string, citations: CitationItem[]): string {
    let shown = '';
    let statement: string | null = null;
    const lookedUp = () => {
      statement ??= this.#statement();
      return statement;
    };
    for (const number of numbersOf(numbers)) {
      const source = this.#sources[number - 1];
      if (source === undefined || this.#lately.has(number)) continue;
      this.#lately.add(number);
      const marker = this.#markerOf(number, source, lookedUp, citations);
      if (marker !== null) shown += `[${marker}]`;
    }
    this.#clause = '';
    return shown;
  }

  /**
   * Returns the text that a marker at this point refers to: the sentence before it, or the part after the
   * previous marker.
   */
  #statement(): string {
    const since = sentencesOf(this.#clause).at(-1)?.text ?? '';
    return (since.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) > 2 ? since : (sentencesOf(this.#text).at(-1)?.text ?? '');
  }

  #markerOf(number: number, source: Passage, statement: () => string, citations: CitationItem[]): number | null {
    this.#lookups += 1;
    if (this.#markers.size >= MAX_CITATIONS || this.#lookups > MAX_LOOKUPS) return this.#firsts.get(number) ?? null;
    const quoted = this.#quoted.get(number) ?? quotedSource(source.text);
    this.#quoted.set(number, quoted);
    const quote = quoteFor(statement(), quoted, this.#question);
    if (quote === '') return null;
    const key = `${number}:${quote}`;
    const known = this.#markers.get(key);
    if (known !== undefined) return known;
    const marker = this.#markers.size + 1;
    this.#markers.set(key, marker);
    if (!this.#firsts.has(number)) this.#firsts.set(number, marker);
    citations.push(citationOf(marker, source, quote));
    return marker;
  }
}

/** Builds a citation of a verbatim quote. `type` must be the first key, as the event log expects. */
export function citationOf(marker: number, source: Passage, quote: string): CitationItem {
  const { id, entry_id, title, heading_path, page, score } = source;
  return { type: 'citation', marker, entry_id, chunk_id: id, title, heading_path, page, quote, score };
}

/** Returns how much text can be shown: up to a bracket or backtick, without spaces that may precede one. */
function plainLength(text: string, code: string, ended: boolean): number {
  const sign = text.search(code === '' ? /[[【`]/ : /`/);
  if (sign < 0 && (ended || code !== '')) return text.length;
  const before = sign < 0 ? text : text.slice(0, sign);
  return before.trimEnd().length;
}

function numbersOf(list: string): number[] {
  return list.split(/[,;]/).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[–-]/).map((number) => Number(/\d+/.exec(number)?.[0] ?? 0));
    if (last < first || last - first >= MAX_RUN) return [first];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
