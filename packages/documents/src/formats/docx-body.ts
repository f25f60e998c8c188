import type { Attributes, XmlHandler } from '../package/read-xml.ts';
import type { FlowWriter, ParagraphRole } from '../text/flow-writer.ts';
import { itemOf, type ListNumbers } from '../text/list-numbers.ts';
import type { Chart } from './chart.ts';
import type { DocxStyles } from './docx-styles.ts';

export interface DocxParts {
  styles: DocxStyles;
  isNumbered(list: string, depth: number): boolean;
  numbers: ListNumbers;
  notes: ReadonlyMap<string, string>;
  charts: ReadonlyMap<string, Chart>;
  /** Receives the relation of a picture. */
  addPicture(id: string): void;
}

interface Paragraph {
  text: string;
  style: string | null;
  outline: number | null;
  list: string | null;
  depth: number;
  notes: string[];
  charts: string[];
  pictures: string[];
}

/** Fallbacks for older programs, deleted or moved text, and field codes. */
const SKIPPED = new Set(['Fallback', 'moveFrom', 'del', 'instrText', 'delText', 'rt']);
const SIGNS = new Map([
  ['tab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
]);

export class DocxBody implements XmlHandler {
  readonly #flow: FlowWriter;
  readonly #parts: DocxParts;
  /** A stack, because text boxes are nested in paragraphs. */
  readonly #paragraphs: Paragraph[] = [];
  readonly #spans: number[] = [];
  #skipped = 0;
  #isText = false;
  #isHidden = false;
  #isRunProperties = false;
  title: string | null = null;

  constructor(flow: FlowWriter, parts: DocxParts) {
    this.#flow = flow;
    this.#parts = parts;
  }

  open(name: string, attribute: Attributes): void {
    if (SKIPPED.has(name)) this.#skipped += 1;
    if (this.#skipped > 0) return;
    const paragraph = this.#paragraphs.at(-1);
    if (name === 't') this.#isText = true;
    else if (name === 'r') this.#isHidden = false;
    else if (name === 'rPr') this.#isRunProperties = true;
    else if (name === 'vanish' && this.#isRunProperties)
      this.#isHidden = !/^(?:0|false|off)$/.test(attribute('val') ?? '');
    else if (name === 'p')
      this.#paragraphs.push({
        text: '',
        style: null,
        outline: null,
        list: null,
        depth: 0,
        notes: [],
        charts: [],
        pictures: [],
      });
    else if (name === 'tbl') this.#flow.openTable();
    else if (name === 'tr') this.#flow.openRow();
    else if (name === 'tc') {
      this.#flow.openCell();
      this.#spans.push(1);
    } else if (name === 'gridSpan') this.#spans[this.#spans.length - 1] = Number(attribute('val')) || 1;
    else if (paragraph) this.#openWithin(paragraph, name, attribute);
  }

  close(name: string): void {
    if (SKIPPED.has(name)) this.#skipped -= 1;
    else if (this.#skipped > 0) return;
    else if (name === 't') this.#isText = false;
    else if (name === 'rPr') this.#isRunProperties = false;
    else if (name === 'r') this.#isHidden = false;
    else if (name === 'p') this.#closeParagraph();
    else if (name === 'tc') this.#flow.closeCell(this.#spans.pop());
    else if (name === 'tbl') this.#flow.closeTable();
  }

  text(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (this.#isText && !this.#isHidden && this.#skipped === 0 && paragraph) paragraph.text += text;
  }

  #openWithin(paragraph: Paragraph, name: string, attribute: Attributes): void {
    const value = attribute('val') ?? null;
    const sign = SIGNS.get(name);
    if (sign !== undefined) paragraph.text += this.#isRunProperties || attribute('pos') !== undefined ? '' : sign;
    else if (name === 'pStyle') paragraph.style = value;
    else if (name === 'outlineLvl') paragraph.outline = Number(value);
    else if (name === 'ilvl') paragraph.depth = Math.min(Number(value) || 0, 9);
    else if (name === 'numId') paragraph.list = value;
    else if (name === 'sym') paragraph.text += symbolOf(attribute('char') ?? '');
    else if (name === 'chart') paragraph.charts.push(attribute('r:id') ?? '');
    else if (name === 'blip') paragraph.pictures.push(attribute('r:embed') ?? '');
    else if (name === 'imagedata') paragraph.pictures.push(attribute('r:id') ?? '');
    else if (name === 'footnoteReference' || name === 'endnoteReference')
      paragraph.notes.push(`${name.slice(0, -'Reference'.length)}:${attribute('id')}`);
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (!paragraph) return;
    this.#flow.add(this.#roleOf(paragraph), paragraph.text);
    for (const id of paragraph.pictures) this.#parts.addPicture(id);
    for (const id of paragraph.charts) this.#addChart(this.#parts.charts.get(id));
    for (const id of paragraph.notes) this.#flow.add({ type: 'paragraph' }, this.#parts.notes.get(id) ?? '');
  }

  #addChart(chart: Chart | undefined): void {
    if (chart === undefined) return;
    this.#flow.add({ type: 'paragraph' }, chart.title);
    this.#flow.addTable(chart.rows);
  }

  #roleOf({ style, outline, list: ownList, depth, text }: Paragraph): ParagraphRole {
    const { styles, isNumbered, numbers } = this.#parts;
    const names = (pattern: RegExp) => styles.find(style, ({ name }) => (pattern.test(name) ? name : null)) !== null;
    const named = styles.find(style, ({ name }) => /^heading ([1-9])/i.exec(name)?.[1] ?? null);
    const level = outline ?? styles.find(style, (found) => found.outline);
    if (named !== null) return { type: 'heading', level: Number(named) };
    if (names(/^title$/i)) {
      this.title ??= text.trim() || null;
      return { type: 'heading', level: 1 };
    }
    if (level !== null && level < 9) return { type: 'heading', level: level + 1 };
    const list = ownList ?? styles.find(style, (found) => found.list);
    if (list !== null && list !== '0') {
      const number = isNumbered(list, depth) ? numbers.next(list, depth) : null;
      return { type: 'item', text: (written) => itemOf(written, depth, number) };
    }
    if (names(/\bquote$/i)) return { type: 'quote' };
    return { type: names(/\b(?:code|preformatted|source text|macro)\b/i) ? 'code' : 'paragraph' };
  }
}

/** Returns the character of a symbol font. Private-use code points have no meaning outside their font. */
function symbolOf(char: string): string {
  const code = Number.parseInt(char, 16);
  return Number.isNaN(code) || code >= 0xe000 || code < 32 ? '' : String.fromCodePoint(code);
}
