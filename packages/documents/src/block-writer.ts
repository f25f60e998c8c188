import { ChorusError } from '@chorus/contract/errors';
import type { Block } from './documents.ts';
import type { EmbeddedPicture, MarkedBlock } from './pictures/marked-block.ts';
import { splitBlock } from './split-block.ts';
import { collapseIndents, collapseRuns, MAX_RUN, MAX_TABLE_RUN } from './text/collapse-runs.ts';

export type SendBlocks = (
  blocks: MarkedBlock[],
  done: number,
  total: number,
  picture?: EmbeddedPicture,
) => Promise<void>;

const BATCH_CHARACTERS = 200_000;
/** Maximum time between two sends, which also report progress. */
const FLUSH_INTERVAL_MS = 1_000;
/** Limits memory, since even a short block is an object. */
const MAX_BLOCKS = 500_000;
/** Further identical blocks in a row are dropped. */
const MAX_REPEATS = 16;
/** Longer headings are treated as paragraphs. */
const MAX_HEADING_LENGTH = 400;

export class BlockWriter {
  readonly #send: SendBlocks;
  readonly #maxCharacters: number;
  #blocks: MarkedBlock[] = [];
  #gathered = 0;
  #left: number;
  #count = 0;
  #last = '';
  #repeated = 0;
  page: number | null = null;
  #done = 0;
  #total = 1;
  #flushedAt = Date.now();
  firstHeading: string | null = null;

  constructor(send: SendBlocks, maxCharacters: number) {
    this.#send = send;
    this.#maxCharacters = maxCharacters;
    this.#left = maxCharacters;
  }

  /**
   * Adds a block. Ignores text without content.
   *
   * @throws {ChorusError} payload_too_large
   */
  add(type: Block['type'], written: string, { level }: { level?: number } = {}): void {
    const cleaned = clean(type, written);
    this.#left -= cleaned.length;
    if (this.#left < 0)
      throw new ChorusError(
        'payload_too_large',
        `The document has more than the ${this.#maxCharacters} characters allowed.`,
      );
    const text = collapse(type, cleaned);
    if (text === '' || this.#isRepeated(`${type} ${text}`)) return;
    const { page } = this;
    if (type === 'heading' && text.length <= MAX_HEADING_LENGTH) {
      this.#blocks.push({ type, level: Math.min(Math.max(level ?? 1, 1), 6), text, page });
      this.firstHeading ??= text;
    } else {
      const other = type === 'heading' ? 'paragraph' : type;
      for (const piece of splitBlock(other, text)) this.#blocks.push({ type: other, text: piece, page });
    }
    this.#gathered += text.length;
    this.#countBlock();
  }

  /** Marks the place of a picture. */
  addPicture(picture: number): void {
    this.#blocks.push({ type: 'picture', text: '', picture, page: this.page });
    this.#countBlock();
  }

  /** Sends a picture, possibly before its mark. */
  async sendPicture(picture: EmbeddedPicture): Promise<void> {
    await this.#send([], this.#done, this.#total, picture);
  }

  #countBlock(): void {
    this.#count += 1;
    if (this.#count > MAX_BLOCKS)
      throw new ChorusError('payload_too_large', `The document has more than the ${MAX_BLOCKS} paragraphs allowed.`);
  }

  #isRepeated(block: string): boolean {
    this.#repeated = block === this.#last ? this.#repeated + 1 : 0;
    this.#last = block;
    return this.#repeated >= MAX_REPEATS;
  }

  async reach(done: number, total: number): Promise<void> {
    this.#done = done;
    this.#total = total;
    if (this.#gathered >= BATCH_CHARACTERS || Date.now() - this.#flushedAt >= FLUSH_INTERVAL_MS) await this.flush();
  }

  async flush(): Promise<void> {
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#gathered = 0;
    this.#flushedAt = Date.now();
    await this.#send(blocks, this.#done, this.#total);
  }
}

/** Control characters and unpaired surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken out
const NO_TEXT = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff]/g;

function clean(type: Block['type'], written: string): string {
  const text = written.replace(/\r\n?/g, '\n').replace(NO_TEXT, '').toWellFormed();
  if (type === 'heading') return text.replace(/\s+/g, ' ').trim();
  // The first line of code may be indented.
  return type === 'code' ? text.replace(/^(?:[ \t]*\n)+/, '').trimEnd() : text.trim();
}

/** Shortens runs of one repeated token, which have no meaning but would cost as much as text. */
function collapse(type: Block['type'], text: string): string {
  if (type === 'table') return collapseRuns(text, MAX_TABLE_RUN);
  const collapsed = collapseRuns(text, MAX_RUN);
  return type === 'code' ? collapsed : collapseIndents(collapsed);
}
