import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { AssetFacts, OcrItem, OcrPage, TextItem } from '@chorus/contract';

/**
 * Size limits of the result, in bytes of UTF-8; the asset has everything. An execution's record is limited to
 * 16 MB.
 */
export interface Room {
  /** For the text item, and again for Markdown. */
  text: number;
  /** For pages without lines, as JSON. */
  pages: number;
  /** For all lines with words and boxes, as JSON. */
  lines: number;
}

export const ROOM: Room = { text: 1_000_000, pages: 2_000_000, lines: 262_144 };

const BETWEEN = '\n\n';

export interface ReadFacts {
  page_count: number;
  pages_left: string | null;
  languages: string[];
}

/** Collects pages: as much as fits for the result, and everything in a JSON file. */
export class OcrResult {
  readonly #room: Room;
  readonly #file: WriteStream;
  readonly #pages: OcrPage[] = [];
  #lines: OcrPage['lines'][] | null = [];
  #text = '';
  #markdown = '';
  #pagesFull = false;
  #written = 0;
  #textCut = false;
  #markdownCut = false;
  readonly #left: Room;

  /** @param path of a file that does not exist yet */
  constructor(path: string, room: Room = ROOM) {
    this.#room = room;
    this.#left = { ...room };
    this.#file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.#file.on('error', () => {}); // writers see errors
    this.#file.write('{"pages":[');
  }

  /** Whether the result omits something. */
  get truncated(): boolean {
    return this.#textCut || this.#markdownCut || this.#pagesFull || this.#lines === null;
  }

  /** Whether text is omitted. */
  get textCut(): boolean {
    return this.#textCut;
  }

  /** Returns the part of the page's text to show. */
  async add(page: OcrPage): Promise<string> {
    const { lines, ...rest } = page;
    const written = JSON.stringify(page);
    await this.#write(this.#written === 0 ? `\n${written}` : `,\n${written}`);
    this.#written += 1;
    const size = Buffer.byteLength(JSON.stringify(rest));
    this.#pagesFull ||= size > this.#left.pages;
    if (!this.#pagesFull) {
      this.#left.pages -= size;
      this.#pages.push({ ...rest, lines: null });
    }
    this.#left.lines -= lines === null ? 0 : written.length - size;
    if (this.#left.lines < 0 || this.#pagesFull) this.#lines = null;
    this.#lines?.push(lines);
    this.#markdownCut ||= page.markdown.length > this.#room.text - this.#markdown.length - BETWEEN.length;
    if (!this.#markdownCut && page.markdown !== '')
      this.#markdown += (this.#markdown === '' ? '' : BETWEEN) + page.markdown;
    return this.#show(page.text);
  }

  /** Completes the file with facts about the whole document. */
  async end(facts: ReadFacts): Promise<void> {
    this.#file.end(`\n],${JSON.stringify(facts).slice(1)}\n`);
    await finished(this.#file);
  }

  close(): void {
    this.#file.destroy();
  }

  output(facts: ReadFacts, asset: AssetFacts | null): (TextItem | OcrItem)[] {
    const pages = this.#pages.map((page, index) => ({ ...page, lines: this.#lines?.[index] ?? null }));
    const item: OcrItem = {
      type: 'ocr',
      markdown: this.#markdown,
      pages,
      ...facts,
      truncated: this.truncated,
      asset,
    };
    return [{ type: 'text', text: this.#text }, item];
  }

  #show(text: string): string {
    if (this.#textCut || text === '') return '';
    const whole = (this.#text === '' ? '' : BETWEEN) + text.toWellFormed();
    const bytes = Buffer.byteLength(whole);
    const shown = bytes <= this.#left.text ? whole : beginning(whole, this.#left.text);
    this.#textCut = shown !== whole;
    this.#left.text -= bytes;
    this.#text += shown;
    return shown;
  }

  async #write(text: string): Promise<void> {
    await new Promise<void>((resolve, reject) =>
      this.#file.write(text, (error) => (error ? reject(error) : resolve())),
    );
  }
}

/** Returns the longest prefix within a number of bytes, without splitting characters. */
function beginning(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, Math.max(0, bytes));
  return new TextDecoder().decode(cut, { stream: true });
}
