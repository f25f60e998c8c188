import type { BlockWriter } from '../block-writer.ts';
import { TableWriter } from './write-table.ts';

/** Rows that are kept until more is known of their table. */
const KEPT_ROWS = 500;
/** Columns that one cell takes. */
const MAX_SPAN = 200;

/** How a paragraph of an Office file is meant. */
export type ParagraphRole =
  | { type: 'heading'; level: number }
  | { type: 'item'; text: (text: string) => string }
  | { type: 'paragraph' | 'quote' | 'code' };

interface OpenTable {
  rows: string[][];
  /** Text of the cell that is open. */
  cell: string | null;
  /** Takes its rows, where they are many. */
  writer: TableWriter | null;
}

/** Takes the paragraphs and tables of a text as they come: items that follow each other become a list, lines of code one block. */
export class FlowWriter {
  readonly #writer: BlockWriter;
  #gathered: { type: 'list' | 'code'; lines: string[] } | null = null;
  readonly #tables: OpenTable[] = [];

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  add(role: ParagraphRole, text: string): void {
    const table = this.#tables.at(-1);
    if (table) {
      // Between cells there is nothing to read.
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

  openTable(): void {
    this.#tables.push({ rows: [], cell: null, writer: null });
  }

  openRow(): void {
    const table = this.#tables.at(-1);
    if (table && this.#tables.length === 1 && table.rows.length >= KEPT_ROWS) this.#write(table);
    table?.rows.push([]);
  }

  /** @param times how often it is meant, where it says anything */
  closeRow(times = 1): void {
    const rows = this.#tables.at(-1)?.rows;
    const row = rows?.at(-1);
    if (row?.some((cell) => cell !== '')) for (let count = 1; count < times; count += 1) rows?.push(row);
  }

  openCell(): void {
    const table = this.#tables.at(-1);
    if (table) table.cell = '';
  }

  /** @param span columns that it takes @param isRepeated whether its text stands in each */
  closeCell(span = 1, isRepeated = false): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    const text = (table.cell ?? '').trim();
    const others = Array<string>(Math.min(Math.max(span, 1), MAX_SPAN) - 1).fill(isRepeated ? text : '');
    table.rows.at(-1)?.push(text, ...others);
    table.cell = null;
  }

  /** A table within a cell is told as the text of that cell, a table of one column as paragraphs: it is a frame around them. */
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
  }

  /** A table that is there as a whole. */
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

  /** What was gathered is at its end. */
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
