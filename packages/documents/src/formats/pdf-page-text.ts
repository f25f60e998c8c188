import type { BlockWriter } from '../block-writer.ts';
import type { LayoutBlock } from '../pdf/index.ts';
import { tableOf } from '../text/write-table.ts';
import type { PlacedPicture } from './pdf-pictures.ts';

/** Converts pages to blocks: builds lists, and joins paragraphs that a page break splits. */
export class PageText {
  readonly #writer: BlockWriter;
  #list: string[] = [];
  #open: { text: string; page: number } | null = null;

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  add(page: number, blocks: readonly (LayoutBlock | PlacedPicture)[]): void {
    for (const [index, block] of blocks.entries()) {
      if (block.kind !== 'list_item') this.#endList();
      if (!isPicture(block) && block.kind === 'paragraph')
        this.#addParagraph(page, toPlainText(block.text ?? ''), index === 0);
      else {
        this.#endParagraph();
        this.#writer.page = page;
        this.#addOther(block);
      }
    }
    this.#endList();
  }

  end(): void {
    this.#endParagraph();
  }

  #addParagraph(page: number, text: string, isFirst: boolean): void {
    if (isPageNumber(text)) return;
    const before = this.#open;
    if (isFirst && before !== null && before.page === page - 1 && continuesSentence(before.text, text)) {
      before.text = joined(before.text, text);
      return;
    }
    this.#endParagraph();
    this.#open = { text, page };
  }

  #addOther(block: LayoutBlock | PlacedPicture): void {
    if (isPicture(block)) {
      this.#writer.addPicture(block.id);
      return;
    }
    const { kind, text = '', lines = [], level } = block;
    if (kind === 'heading') this.#writer.add('heading', toPlainText(text), { level });
    else if (kind === 'list_item') this.#list.push(itemOf(block));
    else if (kind === 'code' || kind === 'grid_fallback') this.#writer.add('code', lines.join('\n'));
    else if (kind === 'table') this.#writer.add('table', tableOf(cellsOf(block)));
  }

  #endList(): void {
    if (this.#list.length > 0) this.#writer.add('list', this.#list.join('\n'));
    this.#list = [];
  }

  #endParagraph(): void {
    if (this.#open === null) return;
    this.#writer.page = this.#open.page;
    this.#writer.add('paragraph', this.#open.text);
    this.#open = null;
  }
}

const isPicture = (block: LayoutBlock | PlacedPicture): block is PlacedPicture => block.kind === 'picture';

function itemOf({ text = '', level = 0, ordered = false, marker = '' }: LayoutBlock): string {
  const number = ordered ? /\d+/.exec(marker)?.[0] : undefined;
  // Markdown cannot number items with letters, so they stay in the text.
  const sign = number === undefined ? (ordered ? `- ${marker}` : '-') : `${number}.`;
  return `${'  '.repeat(Math.min(level, 8))}${sign} ${toPlainText(text)}`;
}

function cellsOf({ header = [], rows = [] }: LayoutBlock): string[][] {
  return [header, ...rows].filter((row) => row.length > 0).map((row) => row.map((cell) => toPlainText(cell.text)));
}

/** Removes the escapes and Markdown styling that the library adds. */
function toPlainText(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])|\*+|<br ?\/?>/g, (_, escaped: string | undefined) => escaped ?? '').trim();
}

const continuesSentence = (before: string, text: string) =>
  !/[.!?:;。！？…"”»)\]]$/u.test(before) && /^\p{Ll}/u.test(text);

const isPageNumber = (text: string) => /^(?:\d{1,5}|[ivxlc]{1,7})$/.test(text);

function joined(before: string, text: string): string {
  return /\p{L}[-\u00ad]$/u.test(before) ? before.slice(0, -1) + text : `${before} ${text}`;
}
