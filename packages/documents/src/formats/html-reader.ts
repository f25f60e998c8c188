import { ChorusError } from '@chorus/contract';
import { Parser } from 'htmlparser2';
import { tableOf } from '../text/write-table.ts';
import type { HtmlPiece } from './html-region.ts';

/** Elements within each other: more make every end of one slow to find. */
const MAX_DEPTH = 1_000;

const words = (list: string) => new Set(list.split(' '));
/** Nothing in them is text to read. */
const SKIPPED = words(
  'script style template noscript svg math iframe object audio video canvas map select button textarea dialog head nav',
);
const CHROME = words('footer aside');
const CHROME_ROLES = words('navigation banner contentinfo search complementary menu menubar');
/** They begin and end a paragraph. */
const BLOCKS = words(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hgroup hr legend main p section summary',
);
/** What many pages link their headings by. */
const PERMALINK = /^[#§¶] ?| ?[#§¶]$/g;
const VOID = words('area base br col embed hr img input link meta param source track wbr');

interface List {
  ordered: boolean;
  next: number;
}

interface Table {
  rows: string[][];
  /** Something is in it that is no text of a cell: it only arranges what it holds. */
  isLayout: boolean;
}

/** Finds the blocks of HTML or XHTML as it comes in pieces. It keeps no tree of it. */
export class HtmlReader {
  readonly #parser: Parser;
  readonly pieces: HtmlPiece[] = [];
  #characters: number;
  /** Its `<title>`. */
  title: string | null = null;
  #titleText: string | null = null;
  /** Open elements that matter here, by what they do; in their order. */
  readonly #open: { name: string; does: 'skip' | 'main' | 'chrome' | 'quote' | 'link' | 'none' }[] = [];
  readonly #counts = { skip: 0, main: 0, chrome: 0, quote: 0, link: 0, none: 0 };
  readonly #lists: List[] = [];
  readonly #tables: Table[] = [];
  #heading: number | null = null;
  #code = 0;
  /** The items of the list that is open, as they will stand. */
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
      ontext: (text) => this.#say(text),
    });
  }

  /** @throws ChorusError `invalid_request`, `payload_too_large` */
  read(piece: string): void {
    this.#parser.write(piece);
  }

  end(): void {
    this.#parser.end();
    this.#endParagraph();
    this.#endList();
  }

  #begin(name: string, attributes: Record<string, string>): void {
    if (this.#open.length > MAX_DEPTH)
      throw new ChorusError('invalid_request', `The page has more than ${MAX_DEPTH} elements within each other.`);
    const isOwnTitle = name === 'title' && (this.#counts.skip === 0 || this.#open.at(-1)?.name === 'head');
    if (isOwnTitle && this.title === null) this.#titleText = '';
    if (!VOID.has(name)) {
      const does = this.#whatDoes(name, attributes);
      this.#open.push({ name, does });
      if (does === 'main' || does === 'chrome' || does === 'quote') this.#endParagraph();
      this.#counts[does] += 1;
    }
    if (this.#counts.skip === 0) this.#beginShown(name, attributes);
  }

  #whatDoes(name: string, { hidden, role = '', style = '', 'aria-hidden': ariaHidden }: Record<string, string>) {
    const isHidden = hidden !== undefined || ariaHidden === 'true' || /display\s*:\s*none/i.test(style);
    // Some hide the whole page until a script has run.
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
      this.#arrange();
      this.#endParagraph();
      this.#endList();
      this.#heading = Number(level);
    } else if (name === 'br') this.#text += '\n';
    else if (name === 'pre') {
      this.#arrange();
      this.#endParagraph();
      this.#code += 1;
    } else if (name === 'ul' || name === 'ol') {
      this.#endParagraph();
      this.#lists.push({ ordered: name === 'ol', next: Number.parseInt(attributes.start ?? '1', 10) || 1 });
    } else if (name === 'li') {
      this.#endParagraph();
      this.#marker = this.#markerOf(this.#lists.at(-1));
    } else if (name === 'table') {
      this.#arrange();
      this.#endParagraph();
      this.#endList();
      this.#tables.push({ rows: [], isLayout: false });
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
    const { does } = this.#open.pop() ?? { does: 'none' };
    if (does === 'main' || does === 'chrome' || does === 'quote') this.#endParagraph();
    this.#counts[does] -= 1;
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

  #say(text: string): void {
    if (this.#titleText !== null) {
      if (this.#titleText.length < 1_000) this.#titleText += text;
      return;
    }
    if (this.#counts.skip > 0) return;
    // The source's own ends of lines are blanks.
    const said = this.#code > 0 ? text : text.replace(/\s+/g, ' ');
    this.#characters -= said.length;
    if (this.#characters < 0) throw new ChorusError('payload_too_large', 'The page says more than is allowed.');
    this.#text += said;
    if (this.#counts.link > 0) this.#linked += text.trim().length;
  }

  #markerOf(list: List | undefined): string {
    const depth = Math.max(Math.min(this.#lists.length, 9) - 1, 0);
    if (!list?.ordered) return `${'  '.repeat(depth)}- `;
    list.next += 1;
    return `${'  '.repeat(depth)}${list.next - 1}. `;
  }

  /** Within a table whose cells are text alone. */
  #isInTable(): boolean {
    const table = this.#tables.at(-1);
    return table !== undefined && !table.isLayout;
  }

  /** A table that holds headings, lists of its own or tables arranges a page: what it holds is told as text. */
  #arrange(): void {
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
      // What the item says beyond its first paragraph stands under it.
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

/** Blanks of the source are one blank each; breaks stay. */
const flowing = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
