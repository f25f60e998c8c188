import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { AssetFacts, OcrItem, OcrPage, OutputItem } from '@chorus/contract';

/** What the result holds at most itself, in bytes of UTF-8; the rest is in its asset alone. A record of an execution has room for 16 MB. */
export interface Room {
  /** Of the text item, and as much again of Markdown. */
  text: number;
  /** Of pages without their lines, as JSON. */
  pages: number;
  /** Of all lines with their words and boxes, as JSON. */
  lines: number;
}

export const ROOM: Room = { text: 1_000_000, pages: 2_000_000, lines: 262_144 };

const BETWEEN = '\n\n';

export interface ReadFacts {
  page_count: number;
  pages_left: string | null;
  languages: string[];
}

/** Gathers pages: what fits, for the result, and everything as a JSON file. */
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

  /** @param path of the file, which must not be there yet */
  constructor(path: string, room: Room = ROOM) {
    this.#room = room;
    this.#left = { ...room };
    this.#file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.#file.on('error', () => {}); // whoever writes is told
    this.#file.write('{"pages":[');
  }

  /** Whether something is left out of the result. */
  get truncated(): boolean {
    return this.#textCut || this.#markdownCut || this.#pagesFull || this.#lines === null;
  }

  /** Whether text is left out. */
  get textCut(): boolean {
    return this.#textCut;
  }

  /** What of the page's text is to be shown. */
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

  /** Ends the file, with what is known of all of it. */
  async end(facts: ReadFacts): Promise<void> {
    this.#file.end(`\n],${JSON.stringify(facts).slice(1)}\n`);
    await finished(this.#file);
  }

  /** Lets go of the file, whatever is in it. */
  close(): void {
    this.#file.destroy();
  }

  output(facts: ReadFacts, asset: AssetFacts | null): OutputItem[] {
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

/** As much of a text as so many bytes hold; no character is cut. */
function beginning(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, Math.max(0, bytes));
  return new TextDecoder().decode(cut, { stream: true });
}
