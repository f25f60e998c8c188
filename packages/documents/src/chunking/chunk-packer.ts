import type { Block } from '../documents.ts';
import type { Chunk, ChunkSettings } from './chunk.ts';
import { type Part, toChunk } from './chunk-parts.ts';
import { countTokens } from './count-tokens.ts';
import { cutTable } from './cut-table.ts';
import { sentencesOf } from './sentences.ts';
import { unitsOf } from './units.ts';

/** A section that has less than this share of a chunk goes on into the next one under the same heading. */
const SHORT = 0.2;
/** A section that has less goes on into any, since it says nothing alone. */
const TINY = 0.05;
/** What has as much ends with its page. */
const HALF = 0.5;
/** Of a chunk, what its overlap takes at most. */
const OVERLAP_SHARE = 0.25;
/** A token that is said this often is a repetition. */
const FEWEST_REPEATED = 12;
/** Of a chunk, what a heading has at most: a longer one is text. */
const LONGEST_HEADING = 0.25;

/** Puts blocks together, one after another, to chunks. */
export class ChunkPacker {
  readonly #settings: ChunkSettings;
  readonly #chunks: Chunk[] = [];
  /** The first chunk that only repeats one token. */
  #repetition: Chunk | null = null;
  /** The headings that the next block stands under; levels may be left out. */
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
    if (this.#isElsewhere(block.page)) this.#close({ overlap: true });
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
    if (tokens <= targetTokens && this.#tokens >= targetTokens * SHORT) {
      this.#close({ overlap: true });
      this.#push(block, 0, block.text.length, tokens);
      return;
    }
    for (const { start, end } of unitsOf(block, targetTokens)) {
      if (block.text.slice(start, end).trim() === '') continue; // blanks between two words that are too long for one chunk
      const unitTokens = countTokens(block.text, start, end);
      if (this.#tokens + unitTokens > targetTokens) this.#close({ overlap: !isWhole });
      this.#push(block, start, end, unitTokens);
    }
  }

  end(): Chunk[] {
    // With headings at the end, under which nothing stands.
    if (this.#parts.some(({ isShared }) => !isShared)) this.#write();
    // A document that says nothing else is not empty.
    if (this.#chunks.length === 0 && this.#repetition !== null) this.#chunks.push(this.#repetition);
    return this.#chunks;
  }

  #addHeading(block: Block): void {
    const { targetTokens, maxTokens } = this.#settings;
    const { level = 1, text, page } = block;
    const tokens = countTokens(text);
    const isLong = tokens > maxTokens * LONGEST_HEADING;
    const outer = this.#headings.filter((heading) => heading.level < level);
    this.#headings = isLong ? outer : [...outer, { level, text }];
    const path = this.#headings.map((heading) => heading.text);
    // What is shared is shared within a section.
    if (!this.#parts.some(isOwnContent)) this.#keep(this.#parts.filter(({ isHeading }) => isHeading));
    if (!this.#mayGoOn(path, page)) this.#close();
    this.#path = path;
    if (isLong) {
      this.add({ ...block, type: 'paragraph' });
      return;
    }
    if (this.#tokens > targetTokens * HALF) {
      this.#write();
      this.#keep([]);
    }
    this.#parts.push({ block, start: 0, end: text.length, path, isHeading: true, isShared: false, tokens });
    this.#tokens += tokens;
  }

  /** Whether what was gathered is too short to stand alone, so that the next section of the page joins it. */
  #mayGoOn(path: readonly string[], page: number | null): boolean {
    const last = this.#parts.at(-1);
    if (last === undefined) return true;
    const isNear = last.path[0] === path[0];
    return last.block.page === page && this.#tokens < this.#settings.targetTokens * (isNear ? SHORT : TINY);
  }

  /** Whether what was gathered says enough of its page to end before this one, so that it is found where it is said to stand. */
  #isElsewhere(page: number | null): boolean {
    const first = this.#parts.find(({ isShared }) => !isShared)?.block.page ?? null;
    if (page === null || first === null || page === first) return false;
    return this.#tokens >= this.#settings.targetTokens * (page === first + 1 ? HALF : TINY);
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

  /** What was gathered becomes a chunk; headings that nothing followed yet wait for what comes. */
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

  /** The last sentences of what was gathered, where that is text. */
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

/** Whether a text is one token again and again: nobody asks for it, and it would be embedded all the same. */
function isRepetition(text: string): boolean {
  const [first, ...others] = text.trim().split(/\s+/);
  return others.length + 1 >= FEWEST_REPEATED && others.every((token) => token === first);
}

const isOwnContent = ({ isHeading, isShared }: Part) => !isHeading && !isShared;
