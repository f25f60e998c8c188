import { ChorusError } from '@chorus/contract';
import type { Block } from './documents.ts';
import { splitBlock } from './split-block.ts';
import { collapseIndents, collapseRuns, LONGEST_RUN, LONGEST_TABLE_RUN } from './text/collapse-runs.ts';

export type SendBlocks = (blocks: Block[], done: number, total: number) => Promise<void>;

/** So many characters are gathered before they are told. */
const GATHERED = 200_000;
/** Or for so long, in milliseconds: who waits is told how far it is. */
const TOLD_EVERY_MS = 1_000;
/** Blocks of a document; each is an object in memory, however little it says. */
const MOST_BLOCKS = 500_000;
/** Blocks that say the same one after another are told this many times. */
const MOST_REPEATED = 16;
/** What is longer is no heading, whatever it is called. */
const LONGEST_HEADING = 400;

/** Takes the blocks that a reader finds, and hands them on in pieces. */
export class BlockWriter {
  readonly #send: SendBlocks;
  readonly #maxCharacters: number;
  #blocks: Block[] = [];
  #gathered = 0;
  #left: number;
  #count = 0;
  #last = '';
  #repeated = 0;
  /** Of the blocks that come next. */
  page: number | null = null;
  /** How far it is. */
  #done = 0;
  #total = 1;
  #toldAt = Date.now();
  /** The first heading that was told. */
  firstHeading: string | null = null;

  constructor(send: SendBlocks, maxCharacters: number) {
    this.#send = send;
    this.#maxCharacters = maxCharacters;
    this.#left = maxCharacters;
  }

  /** Nothing, where there is no text in it. @throws ChorusError `payload_too_large` */
  add(type: Block['type'], written: string, { level }: { level?: number } = {}): void {
    const said = clean(type, written);
    this.#left -= said.length;
    if (this.#left < 0)
      throw new ChorusError(
        'payload_too_large',
        `The document says more than the ${this.#maxCharacters} characters that are allowed.`,
      );
    const text = collapse(type, said);
    if (text === '' || this.#isRepeated(`${type} ${text}`)) return;
    const { page } = this;
    if (type === 'heading' && text.length <= LONGEST_HEADING) {
      this.#blocks.push({ type, level: Math.min(Math.max(level ?? 1, 1), 6), text, page });
      this.firstHeading ??= text;
    } else {
      const other = type === 'heading' ? 'paragraph' : type;
      for (const piece of splitBlock(other, text)) this.#blocks.push({ type: other, text: piece, page });
    }
    this.#gathered += text.length;
    this.#count += 1;
    if (this.#count > MOST_BLOCKS)
      throw new ChorusError(
        'payload_too_large',
        `The document has more than the ${MOST_BLOCKS} paragraphs that are allowed.`,
      );
  }

  #isRepeated(told: string): boolean {
    this.#repeated = told === this.#last ? this.#repeated + 1 : 0;
    this.#last = told;
    return this.#repeated >= MOST_REPEATED;
  }

  /** So far it is now: hands on what was gathered, if that is much or the last time is long ago. */
  async reach(done: number, total: number): Promise<void> {
    this.#done = done;
    this.#total = total;
    if (this.#gathered >= GATHERED || Date.now() - this.#toldAt >= TOLD_EVERY_MS) await this.flush();
  }

  /** Hands on what was gathered. */
  async flush(): Promise<void> {
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#gathered = 0;
    this.#toldAt = Date.now();
    await this.#send(blocks, this.#done, this.#total);
  }
}

/** Signs that no text is made of, and the half of a pair that was torn apart. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken out
const NO_TEXT = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff]/g;

function clean(type: Block['type'], written: string): string {
  const text = written.replace(/\r\n?/g, '\n').replace(NO_TEXT, '').toWellFormed();
  if (type === 'heading') return text.replace(/\s+/g, ' ').trim();
  // The first line of code may be indented.
  return type === 'code' ? text.replace(/^(?:[ \t]*\n)+/, '').trimEnd() : text.trim();
}

/** Without what repeats one token for pages: it says nothing, and would cost as much as text. */
function collapse(type: Block['type'], text: string): string {
  if (type === 'table') return collapseRuns(text, LONGEST_TABLE_RUN);
  const collapsed = collapseRuns(text, LONGEST_RUN);
  return type === 'code' ? collapsed : collapseIndents(collapsed);
}
