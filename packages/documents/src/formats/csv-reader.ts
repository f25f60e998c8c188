/** Maximum length of a cell. Longer ones come from a quote that is never closed. */
const MAX_QUOTED_LENGTH = 200_000;

/** Splits CSV into rows as RFC 4180 defines, from text in pieces. A quote inside an unquoted cell is literal. */
export class CsvReader {
  readonly #special: RegExp;
  readonly #take: (row: string[]) => void;
  #row: string[] = [];
  #cell = '';
  /** `closed`: after a quote that ends the cell unless another quote follows. */
  #state: 'plain' | 'quoted' | 'closed' = 'plain';
  #isLiteral = false;

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
      if (sign !== undefined) this.#handle(sign);
      from = at + 1;
    }
  }

  end(): void {
    if (this.#cell !== '' || this.#row.length > 0) this.#endRow();
  }

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
    if (this.#state !== 'quoted' || this.#cell.length <= MAX_QUOTED_LENGTH) return;
    const taken = this.#cell;
    this.#cell = '"';
    this.#state = 'plain';
    this.#isLiteral = true;
    this.read(taken);
  }

  #handle(sign: string): void {
    if (sign === '"') this.#handleQuote();
    else if (sign === '\n') this.#endRow();
    else this.#endCell();
  }

  #handleQuote(): void {
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
