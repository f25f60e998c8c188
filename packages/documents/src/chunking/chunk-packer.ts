import type { Block } from '../documents.ts';
import type { Chunk, ChunkSettings } from './chunk.ts';
import { type Part, toChunk } from './chunk-parts.ts';
import { countTokens } from './count-tokens.ts';
import { cutTable } from './cut-table.ts';
import { sentencesOf } from './sentences.ts';
import { unitsOf } from './units.ts';

/** Sections below this share of a chunk join the next one under the same heading. */
const SHORT_SECTION = 0.2;
/** Sections below this share join any next section. */
const TINY_SECTION = 0.05;
/** Chunks above this share end with their page. */
const ENDS_WITH_PAGE = 0.5;
const OVERLAP_SHARE = 0.25;
/** Tokens repeated at least this often count as a repetition. */
const MIN_REPETITIONS = 12;
const MAX_HEADING_SHARE = 0.25;

export class ChunkPacker {
  readonly #settings: ChunkSettings;
  readonly #chunks: Chunk[] = [];
  /** The first chunk that only repeats one token. */
  #repetition: Chunk | null = null;
  #headings: { level: number; text: string }[] = [];
  #path: readonly string[] = [];
  #parts: Part[] = [];
  #tokens = 0;

  constructor(settings: ChunkSettings) {
    this.#settings = settings;
  }

  add(block: Block): void {
    const { targetTokens, maxTokens } = this.#settings;
    if (block.type === 'heading') {
      this.#addHeading(block);
      return;
    }
    const tokens = countTokens(block.text);
    if (this.#endsWithPage(block.page)) this.#close({ overlap: true });
    if (this.#tokens + tokens <= targetTokens) {
      this.#push(block, 0, block.text.length, tokens);
      return;
    }
    const isWhole = block.type === 'table' || block.type === 'code';
    if (isWhole) {
      this.#close();
      if (tokens <= maxTokens) {
        this.#push(block, 0, block.text.length, tokens);
        return;
      }
    }
    if (block.type === 'table') {
      this.#addRows(block);
      return;
    }
    if (tokens <= targetTokens && this.#tokens >= targetTokens * SHORT_SECTION) {
      this.#close({ overlap: true });
      this.#push(block, 0, block.text.length, tokens);
      return;
    }
    for (const { start, end } of unitsOf(block, targetTokens)) {
      if (block.text.slice(start, end).trim() === '') continue; // whitespace between oversized words
      const unitTokens = countTokens(block.text, start, end);
      if (this.#tokens + unitTokens > targetTokens) this.#close({ overlap: !isWhole });
      this.#push(block, start, end, unitTokens);
    }
  }

  end(): Chunk[] {
    // Trailing headings without text are also written.
    if (this.#parts.some(({ isShared }) => !isShared)) this.#write();
    // A document that only repeats one token still gets one chunk.
    if (this.#chunks.length === 0 && this.#repetition !== null) this.#chunks.push(this.#repetition);
    return this.#chunks;
  }

  #addHeading(block: Block): void {
    const { targetTokens, maxTokens } = this.#settings;
    const { level = 1, text, page } = block;
    const tokens = countTokens(text);
    const isLong = tokens > maxTokens * MAX_HEADING_SHARE;
    const outer = this.#headings.filter((heading) => heading.level < level);
    this.#headings = isLong ? outer : [...outer, { level, text }];
    const path = this.#headings.map((heading) => heading.text);
    // The overlap is only shared within a section.
    if (!this.#parts.some(isOwnContent)) this.#keep(this.#parts.filter(({ isHeading }) => isHeading));
    if (!this.#joinsNextSection(path, page)) this.#close();
    this.#path = path;
    if (isLong) {
      this.add({ ...block, type: 'paragraph' });
      return;
    }
    if (this.#tokens > targetTokens * ENDS_WITH_PAGE) {
      this.#write();
      this.#keep([]);
    }
    this.#parts.push({ block, start: 0, end: text.length, path, isHeading: true, isShared: false, tokens });
    this.#tokens += tokens;
  }

  /** Returns whether the collected text is so short that the page's next section joins it. */
  #joinsNextSection(path: readonly string[], page: number | null): boolean {
    const last = this.#parts.at(-1);
    if (last === undefined) return true;
    const isNear = last.path[0] === path[0];
    return (
      last.block.page === page && this.#tokens < this.#settings.targetTokens * (isNear ? SHORT_SECTION : TINY_SECTION)
    );
  }

  /** Returns whether the collected text is long enough to end with its page, so citations point to the right one. */
  #endsWithPage(page: number | null): boolean {
    const first = this.#parts.find(({ isShared }) => !isShared)?.block.page ?? null;
    if (page === null || first === null || page === first) return false;
    return this.#tokens >= this.#settings.targetTokens * (page === first + 1 ? ENDS_WITH_PAGE : TINY_SECTION);
  }

  #push(block: Block, start: number, end: number, tokens: number): void {
    this.#parts.push({ block, start, end, path: this.#path, isHeading: false, isShared: false, tokens });
    this.#tokens += tokens;
  }

  #addRows(block: Block): void {
    const { targetTokens, maxTokens } = this.#settings;
    for (const text of cutTable(block.text, targetTokens, maxTokens)) {
      this.#push({ ...block, text }, 0, text.length, countTokens(text));
      this.#close();
    }
  }

  /** Turns the collected parts into a chunk. Headings that still have no text wait for the next one. */
  #close({ overlap = false } = {}): void {
    if (!this.#parts.some(isOwnContent)) {
      this.#keep(overlap ? this.#parts : this.#parts.filter(({ isHeading }) => isHeading));
      return;
    }
    const trailing = this.#parts.findLastIndex(({ isHeading }) => !isHeading) + 1;
    const headings = this.#parts.splice(trailing);
    const shared = overlap && headings.length === 0 ? this.#overlap() : [];
    this.#write();
    this.#keep([...shared, ...headings]);
  }

  #write(): void {
    const chunk = toChunk(this.#parts, this.#chunks.length);
    if (isRepetition(chunk.text)) this.#repetition ??= chunk;
    else this.#chunks.push(chunk);
  }

  #keep(parts: Part[]): void {
    this.#parts = parts;
    this.#tokens = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  #overlap(): Part[] {
    const { overlapSentences, targetTokens } = this.#settings;
    const last = this.#parts.at(-1);
    if (!last || overlapSentences === 0 || last.block.type === 'table' || last.block.type === 'code') return [];
    const own = this.#parts.filter(({ block, isShared }) => block === last.block && !isShared);
    const first = own[0] ?? last;
    const text = last.block.text.slice(first.start, last.end);
    const sentences = sentencesOf(text).filter(({ start, end }) => text.slice(start, end).trim() !== '');
    for (let count = Math.min(overlapSentences, sentences.length - 1); count > 0; count -= 1) {
      const start = first.start + (sentences.at(-count)?.start ?? 0);
      const tokens = countTokens(last.block.text, start, last.end);
      if (tokens <= targetTokens * OVERLAP_SHARE) return [{ ...last, start, isShared: true, tokens }];
    }
    return [];
  }
}

/** Returns whether a text only repeats one token, which is useless in a search, but would still be embedded. */
function isRepetition(text: string): boolean {
  const [first, ...others] = text.trim().split(/\s+/);
  return others.length + 1 >= MIN_REPETITIONS && others.every((token) => token === first);
}

const isOwnContent = ({ isHeading, isShared }: Part) => !isHeading && !isShared;
