import type { BlockWriter } from '../block-writer.ts';

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const MAX_HEADING_LENGTH = 1_000;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE = /^([ \t]*)(`{3,}|~{3,})([^`]*)$/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
/** List markers that may follow a paragraph without a blank line. */
const ITEM_AFTER_TEXT = /^[ \t]*(?:[-*+]|1[.)])[ \t]+\S/;
const QUOTE = /^ {0,3}> ?/;
const INDENTED = /^(?: {4}|\t)/;
const TAG = /^ {0,3}<(?:\/?[a-z][\w-]*[\s/>]|!--)/i;
const MAX_FRONT_MATTER_LINES = 200;
/** Embedded images, which are useless as text. */
const DATA_URI = /data:[\w/+.-]{1,60};base64,[\w+/=]{64,}/g;

type Part = 'none' | 'paragraph' | 'list' | 'quote' | 'table' | 'code' | 'fence' | 'markup';

/**
 * Reads blocks of Markdown (CommonMark, GitHub tables, front matter) line by line.
 *
 * Inline markup is not parsed, so the text stays as written and the cost is linear.
 */
export class MarkdownReader {
  readonly #writer: BlockWriter;
  #part: Part = 'none';
  #lines: string[] = [];
  /** The open code fence, also within lists. */
  #fence: string | null = null;
  /** Number of preceding blank lines, after which a list or code may continue. */
  #empty = 0;
  #comment = false;
  #frontLines: string[] = [];
  #front: 'may come' | 'open' | 'over' = 'may come';
  title: string | null = null;

  constructor(writer: BlockWriter, { frontMatter = true } = {}) {
    this.#writer = writer;
    if (!frontMatter) this.#front = 'over';
  }

  read(written: string): void {
    if (this.#front !== 'over' && this.#isFrontMatter(written)) return;
    const line = written.includes('base64,') ? written.replace(DATA_URI, '') : written;
    if (this.#fence !== null) this.#readFenced(line);
    else if (line.trim() === '') this.#readEmpty();
    else this.#readLine(line);
  }

  end(): void {
    if (this.#front === 'open') this.#revertFrontMatter();
    this.#close();
  }

  #isFrontMatter(line: string): boolean {
    if (this.#front === 'may come') {
      this.#front = line.trimEnd() === '---' ? 'open' : 'over';
      return this.#front === 'open';
    }
    if (line.trimEnd() === '---' || line.trimEnd() === '...') {
      this.#front = 'over';
      this.title = titleAmong(this.#frontLines);
      this.#frontLines = [];
      return true;
    }
    this.#frontLines.push(line);
    if (this.#frontLines.length > MAX_FRONT_MATTER_LINES) this.#revertFrontMatter();
    return true;
  }

  #revertFrontMatter(): void {
    this.#front = 'over';
    for (const line of this.#frontLines.splice(0)) this.read(line);
  }

  #readFenced(line: string): void {
    const closes = line.trim();
    const fence = this.#fence ?? '';
    const isEnd = closes.length >= fence.length && closes === (fence[0] ?? '').repeat(closes.length);
    if (this.#part === 'list') this.#lines.push(line);
    else if (!isEnd) this.#lines.push(line);
    if (!isEnd) return;
    this.#fence = null;
    if (this.#part === 'fence') this.#close();
  }

  #readEmpty(): void {
    if (this.#part === 'list' || this.#part === 'code') this.#empty += 1;
    else if (!this.#comment) this.#close();
  }

  #readLine(line: string): void {
    if (this.#comment) {
      this.#lines.push(line);
      this.#comment = !line.includes('-->');
      return;
    }
    if (this.#part === 'list' && this.#continuesList(line)) {
      this.#readItem(line);
      return;
    }
    if (this.#part === 'code' && INDENTED.test(line)) {
      this.#keep(line);
      return;
    }
    if (this.#part === 'table' && line.includes('|')) {
      this.#keep(line);
      return;
    }
    const fence = FENCE.exec(line);
    if (fence) {
      this.#open('fence');
      this.#fence = fence[2] ?? null;
      return;
    }
    const heading = line.length > MAX_HEADING_LENGTH ? null : HEADING.exec(line);
    if (heading) {
      this.#close();
      this.#heading((heading[1] ?? '').length, (heading[2] ?? '').replace(/[ \t]+#+[ \t]*$/, '').replace(/^#+$/, ''));
      return;
    }
    if (this.#part === 'paragraph' && this.#convertsParagraph(line)) return;
    if (RULE.test(line)) {
      this.#close();
      return;
    }
    this.#keepAs(this.#partOf(line), line);
  }

  #partOf(line: string): Part {
    const inText = this.#part === 'paragraph' || this.#part === 'markup';
    if (QUOTE.test(line)) return 'quote';
    if ((inText ? ITEM_AFTER_TEXT : ITEM).test(line) && !(INDENTED.test(line) && inText)) return 'list';
    if (inText) return this.#part;
    // A quoted paragraph may continue without its marker.
    if (this.#part === 'quote') return 'quote';
    if (INDENTED.test(line)) return 'code';
    return TAG.test(line) ? 'markup' : 'paragraph';
  }

  #keepAs(part: Part, line: string): void {
    if (part !== this.#part) this.#open(part);
    if (part === 'list') {
      this.#readItem(line);
      return;
    }
    this.#lines.push(part === 'quote' ? line.replace(QUOTE, '') : line);
    if (part === 'markup') this.#comment = line.lastIndexOf('<!--') > line.lastIndexOf('-->');
  }

  #convertsParagraph(line: string): boolean {
    if (UNDERLINE.test(line)) {
      const text = this.#lines.join(' ');
      this.#lines = [];
      this.#part = 'none';
      this.#heading(line.trim().startsWith('=') ? 1 : 2, text);
      return true;
    }
    const head = this.#lines.at(-1) ?? '';
    if (!line.includes('|') || !head.includes('|') || !isDelimiter(line) || widthOf(line) !== widthOf(head))
      return false;
    this.#lines.pop();
    this.#open('table');
    this.#lines.push(head, line);
    return true;
  }

  #continuesList(line: string): boolean {
    if (ITEM.test(line) && !RULE.test(line)) return true;
    if (/^(?: {2}|\t)/.test(line)) return true;
    // An item's paragraph continues until a blank line or another block.
    return this.#empty === 0 && !HEADING.test(line) && !FENCE.test(line) && !QUOTE.test(line) && !RULE.test(line);
  }

  #readItem(line: string): void {
    this.#keep(line);
    const fence = FENCE.exec(line) ?? FENCE.exec(line.replace(ITEM, ''));
    if (fence) this.#fence = fence[2] ?? null;
  }

  #keep(line: string): void {
    for (; this.#empty > 0; this.#empty -= 1) this.#lines.push('');
    this.#lines.push(line);
  }

  #heading(level: number, text: string): void {
    this.#writer.add('heading', toPlainText(text), { level });
  }

  #open(part: Part): void {
    this.#close();
    this.#part = part;
  }

  #close(): void {
    const [lines, part] = [this.#lines, this.#part];
    this.#lines = [];
    this.#part = 'none';
    this.#empty = 0;
    this.#fence = null;
    this.#comment = false;
    if (lines.length === 0 || part === 'none') return;
    if (part === 'markup') this.#writer.add('paragraph', withoutTags(lines.join('\n')));
    else if (part === 'code') this.#writer.add('code', lines.map((line) => line.replace(INDENTED, '')).join('\n'));
    else this.#writer.add(part === 'fence' ? 'code' : part, lines.join('\n'));
  }
}

function titleAmong(lines: readonly string[]): string | null {
  for (const line of lines) {
    const [, title] = /^title:(.+)$/i.exec(line) ?? [];
    if (title !== undefined) return title.trim().replace(/^(["'])(.*)\1$/, '$2');
  }
  return null;
}

const cellsOf = (line: string) => line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
const widthOf = (line: string) => cellsOf(line.replaceAll('\\|', '')).length;
const isDelimiter = (line: string) => cellsOf(line).every((cell) => /^:?-+:?$/.test(cell.trim()));

function toPlainText(text: string): string {
  return text
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|__|~~|`|\*)(?=\S)([^*_~`]+)\1/g, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

function withoutTags(text: string): string {
  return text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<[^<>]*>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}
