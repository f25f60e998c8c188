import { ChorusError } from '@chorus/contract/errors';
import { Parser } from 'htmlparser2';
import { tableOf } from '../text/write-table.ts';
import type { HtmlPiece } from './html-region.ts';

/** Limits nesting, which makes every end tag slow to match. */
const MAX_NESTING = 1_000;

const words = (list: string) => new Set(list.split(' '));
const SKIPPED = words(
  'script style template noscript svg math iframe object audio video canvas map select button textarea dialog head nav',
);
const CHROME = words('footer aside');
const CHROME_ROLES = words('navigation banner contentinfo search complementary menu menubar');
const BLOCKS = words(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hgroup hr legend main p section summary',
);
/** Link markers that many sites add to their headings. */
const PERMALINK = /^[#§¶] ?| ?[#§¶]$/g;
const VOID = words('area base br col embed hr img input link meta param source track wbr');

interface List {
  ordered: boolean;
  next: number;
}

interface Table {
  rows: string[][];
  isLayout: boolean;
}

/** Reads blocks from HTML or XHTML in pieces, without building a tree. */
/** Further images of a page are ignored. */
const MAX_IMAGES = 2_000;

export class HtmlReader {
  readonly #parser: Parser;
  readonly pieces: HtmlPiece[] = [];
  /** Sources of images, each with the number of pieces before it. */
  readonly images: { source: string; before: number }[] = [];
  #characters: number;
  title: string | null = null;
  #titleText: string | null = null;
  readonly #open: { name: string; effect: 'skip' | 'main' | 'chrome' | 'quote' | 'link' | 'none' }[] = [];
  readonly #counts = { skip: 0, main: 0, chrome: 0, quote: 0, link: 0, none: 0 };
  readonly #lists: List[] = [];
  readonly #tables: Table[] = [];
  #heading: number | null = null;
  #code = 0;
  #items: string[] = [];
  #marker = '';
  #text = '';
  #linked = 0;
  #itemsLinked = 0;

  constructor(maxCharacters: number) {
    this.#characters = maxCharacters;
    this.#parser = new Parser({
      onopentag: (name, attributes) => this.#begin(name, attributes),
      onclosetag: (name) => this.#finish(name),
      ontext: (text) => this.#addText(text),
    });
  }

  read(piece: string): void {
    this.#parser.write(piece);
  }

  end(): void {
    this.#parser.end();
    this.#endParagraph();
    this.#endList();
  }

  #begin(name: string, attributes: Record<string, string>): void {
    if (this.#open.length > MAX_NESTING)
      throw new ChorusError('invalid_request', `The page has more than ${MAX_NESTING} levels of nested elements.`);
    const isOwnTitle = name === 'title' && (this.#counts.skip === 0 || this.#open.at(-1)?.name === 'head');
    if (isOwnTitle && this.title === null) this.#titleText = '';
    if (!VOID.has(name)) {
      const effect = this.#effectOf(name, attributes);
      this.#open.push({ name, effect });
      if (effect === 'main' || effect === 'chrome' || effect === 'quote') this.#endParagraph();
      this.#counts[effect] += 1;
    }
    if (this.#counts.skip === 0) this.#beginShown(name, attributes);
  }

  #effectOf(name: string, { hidden, role = '', style = '', 'aria-hidden': ariaHidden }: Record<string, string>) {
    const isHidden = hidden !== undefined || ariaHidden === 'true' || /display\s*:\s*none/i.test(style);
    // Some pages hide everything until a script has run.
    if (SKIPPED.has(name) || (isHidden && name !== 'body' && name !== 'html')) return 'skip';
    if (name === 'main' || name === 'article' || role === 'main') return 'main';
    if (CHROME.has(name) || CHROME_ROLES.has(role)) return 'chrome';
    if (name === 'header' && this.#counts.main === 0) return 'chrome';
    if (name === 'blockquote') return 'quote';
    return name === 'a' ? 'link' : 'none';
  }

  #beginShown(name: string, attributes: Record<string, string>): void {
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      this.#treatAsLayout();
      this.#endParagraph();
      this.#endList();
      this.#heading = Number(level);
    } else if (name === 'br') this.#text += '\n';
    else if (name === 'pre') {
      this.#treatAsLayout();
      this.#endParagraph();
      this.#code += 1;
    } else if (name === 'ul' || name === 'ol') {
      this.#endParagraph();
      this.#lists.push({ ordered: name === 'ol', next: Number.parseInt(attributes.start ?? '1', 10) || 1 });
    } else if (name === 'li') {
      this.#endParagraph();
      this.#marker = this.#markerOf(this.#lists.at(-1));
    } else if (name === 'table') {
      this.#treatAsLayout();
      this.#endParagraph();
      this.#endList();
      this.#tables.push({ rows: [], isLayout: false });
    } else if ((name === 'img' || name === 'image') && this.images.length < MAX_IMAGES) {
      const source = attributes.src ?? attributes['xlink:href'] ?? attributes.href ?? '';
      this.images.push({ source, before: this.pieces.length });
    } else if (name === 'tr') this.#tables.at(-1)?.rows.push([]);
    else if (name === 'td' || name === 'th') this.#text = this.#isInTable() ? '' : this.#text;
    else if (BLOCKS.has(name)) this.#endParagraph();
  }

  #finish(name: string): void {
    if (name === 'title' && this.#titleText !== null) {
      this.title ??= this.#titleText.replace(/\s+/g, ' ').trim() || null;
      this.#titleText = null;
    }
    const isShown = this.#counts.skip === 0;
    if (isShown) this.#finishShown(name);
    if (this.#open.at(-1)?.name !== name) return;
    const { effect } = this.#open.pop() ?? { effect: 'none' };
    if (effect === 'main' || effect === 'chrome' || effect === 'quote') this.#endParagraph();
    this.#counts[effect] -= 1;
  }

  #finishShown(name: string): void {
    if (this.#heading !== null && /^h[1-6]$/.test(name)) this.#endHeading();
    else if (name === 'pre') this.#endCode();
    else if (name === 'ul' || name === 'ol') {
      this.#endParagraph();
      this.#lists.pop();
      this.#marker = '';
      if (this.#lists.length === 0) this.#endList();
    } else if (name === 'td' || name === 'th') this.#endCell();
    else if (name === 'table') this.#endTable();
    else if (name === 'caption') this.#endCaption();
    else if (name === 'li' || BLOCKS.has(name)) this.#endParagraph();
  }

  #addText(text: string): void {
    if (this.#titleText !== null) {
      if (this.#titleText.length < 1_000) this.#titleText += text;
      return;
    }
    if (this.#counts.skip > 0) return;
    // Line breaks in the source are spaces.
    const shown = this.#code > 0 ? text : text.replace(/\s+/g, ' ');
    this.#characters -= shown.length;
    if (this.#characters < 0) throw new ChorusError('payload_too_large', 'The page has more text than allowed.');
    this.#text += shown;
    if (this.#counts.link > 0) this.#linked += text.trim().length;
  }

  #markerOf(list: List | undefined): string {
    const depth = Math.max(Math.min(this.#lists.length, 9) - 1, 0);
    if (!list?.ordered) return `${'  '.repeat(depth)}- `;
    list.next += 1;
    return `${'  '.repeat(depth)}${list.next - 1}. `;
  }

  #isInTable(): boolean {
    const table = this.#tables.at(-1);
    return table !== undefined && !table.isLayout;
  }

  #treatAsLayout(): void {
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout) return;
    table.isLayout = true;
    for (const cell of table.rows.splice(0).flat()) this.#add('paragraph', cell, 0);
  }

  #endParagraph(): void {
    if (this.#code > 0) return;
    if (this.#heading !== null) {
      this.#endHeading();
      return;
    }
    if (this.#isInTable()) {
      if (this.#text.trim() !== '') this.#text += '\n';
      return;
    }
    const text = flowing(this.#text);
    const linked = this.#linked;
    this.#text = '';
    this.#linked = 0;
    if (text === '') return;
    if (this.#lists.length > 0) {
      const isNew = this.#marker.trim() !== '';
      const indent = isNew ? this.#marker : ' '.repeat(this.#marker.length || 2);
      this.#items.push(indent + text.replaceAll('\n', ' '));
      this.#itemsLinked += linked;
      // Further paragraphs of an item are indented below it.
      this.#marker = ' '.repeat(indent.length);
      return;
    }
    this.#add(this.#counts.quote > 0 ? 'quote' : 'paragraph', text, linked);
  }

  #endHeading(): void {
    const text = flowing(this.#text).replace(PERMALINK, '');
    const level = this.#heading ?? 1;
    this.#heading = null;
    this.#text = '';
    this.#linked = 0;
    this.#add('heading', text, 0, level);
  }

  #endCode(): void {
    if (this.#code === 0) return;
    this.#code -= 1;
    if (this.#code > 0) return;
    this.#endList();
    this.#add('code', this.#text.replace(/^\r?\n/, ''), 0);
    this.#text = '';
    this.#linked = 0;
  }

  #endList(): void {
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#add('list', items.join('\n'), this.#itemsLinked);
    this.#itemsLinked = 0;
  }

  #endCell(): void {
    if (!this.#isInTable()) {
      this.#endParagraph();
      return;
    }
    this.#tables.at(-1)?.rows.at(-1)?.push(flowing(this.#text));
    this.#text = '';
    this.#linked = 0;
  }

  #endCaption(): void {
    this.#add('paragraph', flowing(this.#text), 0);
    this.#text = '';
  }

  #endTable(): void {
    if (this.#tables.at(-1)?.isLayout) this.#endParagraph();
    const table = this.#tables.pop();
    if (!table || table.isLayout) return;
    const rest = flowing(this.#text);
    this.#text = '';
    if (rest !== '') this.#add('paragraph', rest, 0);
    const isColumn = table.rows.every((row) => row.filter((cell) => cell !== '').length < 2);
    if (!isColumn) this.#add('table', tableOf(table.rows), 0);
    else for (const cell of table.rows.flat()) this.#add('paragraph', cell, 0);
  }

  #add(type: HtmlPiece['type'], text: string, linked: number, level?: number): void {
    if (text.trim() === '') return;
    const region = this.#counts.chrome > 0 ? 'chrome' : this.#counts.main > 0 ? 'main' : 'body';
    this.pieces.push({ type, text, level, region, linked });
  }
}

const flowing = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
