import type { CitationItem } from '@chorus/contract';
import { sentencesOf } from '../ranking/sentences.ts';
import type { Passage } from './find-passages.ts';
import { type QuotedSource, quotedSource, quoteFor } from './quote-for.ts';

/** What of an answer can be shown now. */
export interface CitedPiece {
  text: string;
  /** New ones that `text` refers to. */
  citations: CitationItem[];
}

/** What an answer is looked at behind: enough for its last sentence. */
const LOOK_BACK = 1_000;

/** A bracket that is still open after so many characters is none of ours. */
const LONGEST_MARKER = 64;

/** As models refer: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `[Source 2]`, `【3】`, `【3†title】`. */
const MARKER =
  /^(?:\[\s*(?:\^|(?:sources?|quellen?|fuentes?)\s*)?(\d{1,3}(?:\s*[,;–-]\s*(?:source\s*)?\d{1,3})*)\s*\]|【\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\s*(?:†[^【】\n]{0,40})?】)/i;
/** What may become one when more has come. */
const MARKER_BEGINS = /^(?:\[\s*\^?[a-z]{0,8}[\s\d,;–-]*(?:source\s*\d*)?|【[\s\d,;–-]*(?:†[^【】\n]*)?)$/i;

/** An answer has so many citations at most, and so many references are looked up: what comes then refers to what its source was cited for first. */
const MAX_CITATIONS = 200;
const MAX_LOOKUPS = 1_000;

/** A run of numbers names so many sources at most. */
const MAX_RUN = 20;

/**
 * Reads the references of an answer while it comes, and makes citations of them. What is shown refers to citations that exist: `[1]` for the first, and so on; each is one
 * quote, word for word from its source. A number that no source has is left out, with the blank before it. Brackets in code are code.
 */
export class CitedText {
  readonly #sources: readonly Passage[];
  readonly #question: string;
  /** What is not shown yet, since it may become a marker. */
  #waiting = '';
  /** The end of what was said, without markers, and of it what was said since the last one. */
  #said = '';
  #clause = '';
  /** The backticks that opened the code that is written now; empty: none is. */
  #code = '';
  /** What each citation is of: number of its source and quote. */
  readonly #markers = new Map<string, number>();
  /** The first citation of each source. */
  readonly #firsts = new Map<number, number>();
  #lookups = 0;
  readonly #quoted = new Map<number, QuotedSource>();
  /** Sources that were referred to since the last word: one statement refers to each once. */
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

  /** What was held back at the end of the answer. */
  rest(): CitedPiece {
    return this.#read(true);
  }

  #read(ended: boolean): CitedPiece {
    let text = '';
    const citations: CitationItem[] = [];
    while (this.#waiting !== '') {
      const plain = plainLength(this.#waiting, this.#code, ended);
      text += this.#say(this.#waiting.slice(0, plain));
      this.#waiting = this.#waiting.slice(plain);
      const found = /^(\s*)([[【`])/.exec(this.#waiting);
      if (found === null) {
        if (!ended) break;
        text += this.#say(this.#waiting);
        this.#waiting = '';
        break;
      }
      const [, blank = '', sign] = found;
      const behind = this.#waiting.slice(blank.length);
      if (sign === '`') {
        const run = /^`+/.exec(behind)?.[0] ?? '';
        if (!ended && run.length === behind.length) break;
        this.#code = this.#code === '' ? run : this.#code === run ? '' : this.#code;
        text += this.#say(blank + run);
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
      const mayBecome = this.#code === '' && behind.length < LONGEST_MARKER && MARKER_BEGINS.test(behind);
      if (mayBecome && !ended) break;
      text += this.#say(blank + sign);
      this.#waiting = behind.slice(1);
    }
    return { text, citations };
  }

  #say(text: string): string {
    if (text === '') return '';
    this.#said = (this.#said + text).slice(-LOOK_BACK);
    this.#clause = (this.#clause + text).slice(-LOOK_BACK);
    if (/[\p{L}\p{N}]/u.test(text)) this.#lately.clear();
    // A single backtick opens no code beyond its paragraph.
    if (this.#code !== '' && this.#code.length < 3 && /\n\s*\n/.test(text)) this.#code = '';
    return text;
  }

  /** The markers of the citations that stand for these numbers of sources. */
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

  /** What a marker that comes now refers to: the sentence before it, or what of it stands behind the marker before. */
  #statement(): string {
    const since = sentencesOf(this.#clause).at(-1)?.text ?? '';
    return (since.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) > 2 ? since : (sentencesOf(this.#said).at(-1)?.text ?? '');
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

/** A citation of a quote that stands in a source. `type` comes first, as logs of events want it. */
export function citationOf(marker: number, source: Passage, quote: string): CitationItem {
  const { id, entry_id, title, heading_path, page, score } = source;
  return { type: 'citation', marker, entry_id, chunk_id: id, title, heading_path, page, quote, score };
}

/** How much of a text can be said as it is: up to the next bracket or backtick, without the blanks that stand before it or may come to. */
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
