import type { BlockWriter } from '../block-writer.ts';

/** Size of the pieces that a table is written in, each with the header. */
const PIECE_CHARACTERS = 100_000;

const lineOf = (cells: readonly string[]): string => `| ${cells.map(cellOf).join(' | ')} |`;

const cellOf = (cell: string) => cell.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');

/** Formats rows as a Markdown table with the first as its header. Drops empty rows and columns. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const filled = rows.map(trimmed).filter((row) => row.length > 0);
  const width = Math.max(0, ...filled.map((row) => row.length));
  const used = Array.from({ length: width }, (_, column) => filled.some((row) => (row[column] ?? '').trim() !== ''));
  const [head = [], ...body] = filled.map((row) => widened(row, width).filter((_, column) => used[column]));
  if (width === 0) return '';
  return [lineOf(head), `|${' --- |'.repeat(head.length)}`, ...body.map(lineOf)].join('\n');
}

function trimmed(row: readonly string[]): readonly string[] {
  let end = row.length;
  while (end > 0 && row[end - 1]?.trim() === '') end -= 1;
  return row.slice(0, end);
}

const widened = (row: readonly string[], width: number) => [...row, ...Array<string>(width - row.length).fill('')];

/** Writes a table row by row, which may be larger than memory. */
export class TableWriter {
  readonly #writer: BlockWriter;
  #head: readonly string[] | null = null;
  #rows: (readonly string[])[] = [];
  #gathered = 0;
  #hasHeader = false;

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  add(cells: readonly string[]): void {
    const row = trimmed(cells);
    if (row.length === 0) return;
    if (this.#head === null) {
      this.#head = row;
      return;
    }
    this.#rows.push(row);
    for (const cell of row) this.#gathered += cell.length + 3;
    if (this.#gathered > PIECE_CHARACTERS) this.#write();
  }

  end(): void {
    if (this.#head !== null) this.#write();
    this.#head = null;
    this.#hasHeader = false;
  }

  #write(): void {
    if (this.#head === null || (this.#rows.length === 0 && this.#hasHeader)) return;
    this.#hasHeader = true;
    // A line of text above a table or between two.
    if (this.#rows.length === 0 && this.#head.filter((cell) => cell !== '').length === 1) {
      this.#writer.add('paragraph', this.#head.join(''));
      return;
    }
    this.#writer.add('table', tableOf([this.#head, ...this.#rows]));
    this.#rows = [];
    this.#gathered = 0;
  }
}
