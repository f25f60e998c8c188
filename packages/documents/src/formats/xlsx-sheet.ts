import type { Attributes, XmlHandler } from '../package/read-xml.ts';
import type { TableWriter } from '../text/write-table.ts';
import type { CellStyles } from './xlsx-styles.ts';

export interface SheetParts {
  strings: readonly string[];
  styles: CellStyles;
}

const MAX_COLUMNS = 16_384;

/** Reads the cells of a sheet row by row. An empty row separates two tables. */
export class SheetReader implements XmlHandler {
  readonly #table: TableWriter;
  readonly #parts: SheetParts;
  readonly #onFirstCell: () => void;
  #isEmpty = true;
  #row: string[] = [];
  #rowNumber = 0;
  #column = 0;
  #type = 'n';
  #style = 0;
  #value = '';
  #isValue = false;
  #spoken = 0;

  constructor(table: TableWriter, parts: SheetParts, onFirstCell: () => void) {
    this.#table = table;
    this.#parts = parts;
    this.#onFirstCell = onFirstCell;
  }

  open(name: string, attribute: Attributes): void {
    if (name === 'row') this.#openRow(Number(attribute('r')));
    else if (name === 'c') {
      this.#column = columnOf(attribute('r')) ?? this.#column + 1;
      this.#type = attribute('t') ?? 'n';
      this.#style = Number(attribute('s') ?? 0);
      this.#value = '';
    } else if (name === 'rPh') this.#spoken += 1;
    else if (name === 'v' || name === 't') this.#isValue = this.#spoken === 0;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isValue = false;
    else if (name === 'rPh') this.#spoken -= 1;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
  }

  #openRow(number: number): void {
    const next = Number.isSafeInteger(number) && number > 0 ? number : this.#rowNumber + 1;
    if (next > this.#rowNumber + 1) this.#table.end();
    this.#rowNumber = next;
    this.#row = [];
    this.#column = 0;
  }

  #closeCell(): void {
    const text = this.#textOf(this.#value);
    if (text === '' || this.#column > MAX_COLUMNS) return;
    if (this.#isEmpty) this.#onFirstCell();
    this.#isEmpty = false;
    while (this.#row.length < this.#column - 1) this.#row.push('');
    this.#row[this.#column - 1] = text;
  }

  #closeRow(): void {
    if (this.#row.length === 0) this.#table.end();
    else this.#table.add(this.#row);
  }

  #textOf(value: string): string {
    const { strings, styles } = this.#parts;
    if (this.#type === 's') return strings[Number(value)] ?? '';
    if (this.#type === 'b') return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value;
    return this.#type === 'n' ? styles.show(value, this.#style) : value;
  }
}

function columnOf(place: string | undefined): number | null {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(place ?? '') ?? [];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
