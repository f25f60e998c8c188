/** What goes on for so long was begun by a quote that nothing ends. */
const LONGEST_QUOTED = 200_000;

/** Takes rows of CSV apart, after RFC 4180, as the text comes in pieces. A quote that does not begin its cell stands for itself. */
export class CsvReader {
  readonly #special: RegExp;
  readonly #take: (row: string[]) => void;
  #row: string[] = [];
  #cell = '';
  /** `closed`: just behind a quote that ends the cell, unless another one follows. */
  #state: 'plain' | 'quoted' | 'closed' = 'plain';
  /** Whether quotes are signs like others. */
  #isLiteral = false;

  /** @param separator one character */
  constructor(separator: string, take: (row: string[]) => void) {
    this.#special = new RegExp(`["\\n${separator === '|' ? '\\|' : separator}]`, 'g');
    this.#take = take;
  }

  read(piece: string): void {
    let from = 0;
    while (from < piece.length) {
      const at = this.#next(piece, from);
      if (at > from) this.#keep(piece.slice(from, at));
      const sign = piece[at];
      if (sign !== undefined) this.#meet(sign);
      from = at + 1;
    }
  }

  end(): void {
    if (this.#cell !== '' || this.#row.length > 0) this.#endRow();
  }

  /** Where something begins or ends next. */
  #next(piece: string, from: number): number {
    if (this.#state === 'quoted') {
      const quote = piece.indexOf('"', from);
      return quote === -1 ? piece.length : quote;
    }
    this.#special.lastIndex = from;
    return this.#special.exec(piece)?.index ?? piece.length;
  }

  #keep(text: string): void {
    this.#cell += text;
    if (this.#state !== 'quoted' || this.#cell.length <= LONGEST_QUOTED) return;
    const taken = this.#cell;
    this.#cell = '"';
    this.#state = 'plain';
    this.#isLiteral = true;
    this.read(taken);
  }

  #meet(sign: string): void {
    if (sign === '"') this.#meetQuote();
    else if (sign === '\n') this.#endRow();
    else this.#endCell();
  }

  #meetQuote(): void {
    if (this.#isLiteral) this.#keep('"');
    else if (this.#state === 'quoted') this.#state = 'closed';
    else if (this.#state === 'closed') {
      this.#keep('"');
      this.#state = 'quoted';
    } else if (this.#cell.trim() === '') {
      this.#cell = '';
      this.#state = 'quoted';
    } else this.#keep('"');
  }

  #endCell(): void {
    this.#row.push(this.#cell.trim());
    this.#cell = '';
    this.#state = 'plain';
  }

  #endRow(): void {
    this.#endCell();
    const row = this.#row;
    this.#row = [];
    this.#take(row);
  }
}
