import type { BlockWriter } from '../block-writer.ts';
import { TableWriter } from './write-table.ts';

/** Rows to keep until the width of their table is known. */
const KEPT_ROWS = 500;
const MAX_SPAN = 200;

export type ParagraphRole =
  | { type: 'heading'; level: number }
  | { type: 'item'; text: (text: string) => string }
  | { type: 'paragraph' | 'quote' | 'code' };

interface OpenTable {
  rows: string[][];
  cell: string | null;
  writer: TableWriter | null;
}

/** Collects paragraphs and tables: consecutive items become a list, lines of code one block. */
export class FlowWriter {
  readonly #writer: BlockWriter;
  #gathered: { type: 'list' | 'code'; lines: string[] } | null = null;
  readonly #tables: OpenTable[] = [];
  #afterTable: (() => void)[] = [];

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  add(role: ParagraphRole, text: string): void {
    const table = this.#tables.at(-1);
    if (table) {
      // Text between cells is ignored.
      if (table.cell !== null) table.cell += `${text}\n`;
      return;
    }
    if (text.trim() === '' && role.type !== 'code') return;
    if (role.type === 'item') this.#gather('list', role.text(text));
    else if (role.type === 'code') this.#gather('code', text);
    else {
      this.end();
      if (role.type === 'heading') this.#writer.add('heading', text, { level: role.level });
      else this.#writer.add(role.type, text);
    }
  }

  /** Marks the position of a picture. For one inside a table, this is after the table. */
  addPicture(mark: () => void): void {
    if (this.#tables.length > 0) this.#afterTable.push(mark);
    else {
      this.end();
      mark();
    }
  }

  openTable(): void {
    this.#tables.push({ rows: [], cell: null, writer: null });
  }

  openRow(): void {
    const table = this.#tables.at(-1);
    if (table && this.#tables.length === 1 && table.rows.length >= KEPT_ROWS) this.#write(table);
    table?.rows.push([]);
  }

  closeRow(times = 1): void {
    const rows = this.#tables.at(-1)?.rows;
    const row = rows?.at(-1);
    if (row?.some((cell) => cell !== '')) for (let count = 1; count < times; count += 1) rows?.push(row);
  }

  openCell(): void {
    const table = this.#tables.at(-1);
    if (table) table.cell = '';
  }

  /**
   * @param span columns of the cell
   * @param isRepeated whether each column repeats its text
   */
  closeCell(span = 1, isRepeated = false): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    const text = (table.cell ?? '').trim();
    const others = Array<string>(Math.min(Math.max(span, 1), MAX_SPAN) - 1).fill(isRepeated ? text : '');
    table.rows.at(-1)?.push(text, ...others);
    table.cell = null;
  }

  /**
   * Closes a table. A nested one becomes text of its cell, and a single column becomes paragraphs because it is only
   * a frame.
   */
  closeTable(): void {
    const table = this.#tables.pop();
    const outer = this.#tables.at(-1);
    if (!table) return;
    if (outer) {
      const lines = table.rows.map((row) => `${row.filter((cell) => cell !== '').join(' ')}\n`);
      if (outer.cell !== null) outer.cell += lines.join('');
    } else if (table.writer || table.rows.some((row) => row.filter((cell) => cell !== '').length > 1)) {
      this.#write(table);
      table.writer?.end();
    } else {
      this.end();
      for (const cell of table.rows.flat()) this.#writer.add('paragraph', cell);
    }
    if (outer) return;
    for (const mark of this.#afterTable) mark();
    this.#afterTable = [];
  }

  addTable(rows: readonly (readonly string[])[]): void {
    this.openTable();
    for (const row of rows) {
      this.openRow();
      for (const cell of row) {
        this.openCell();
        this.add({ type: 'paragraph' }, cell);
        this.closeCell();
      }
    }
    this.closeTable();
  }

  end(): void {
    const gathered = this.#gathered;
    this.#gathered = null;
    if (gathered) this.#writer.add(gathered.type, gathered.lines.join('\n'));
  }

  #write(table: OpenTable): void {
    this.end();
    table.writer ??= new TableWriter(this.#writer);
    for (const row of table.rows) table.writer.add(row);
    table.rows = [];
  }

  #gather(type: 'list' | 'code', line: string): void {
    if (this.#gathered?.type !== type) this.end();
    this.#gathered ??= { type, lines: [] };
    this.#gathered.lines.push(line);
  }
}
