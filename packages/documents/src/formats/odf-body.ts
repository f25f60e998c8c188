import type { BlockWriter } from '../block-writer.ts';
import type { Attributes, XmlHandler } from '../package/read-xml.ts';
import type { PictureList } from '../pictures/picture-list.ts';
import type { FlowWriter, ParagraphRole } from '../text/flow-writer.ts';
import { itemOf } from '../text/list-numbers.ts';

/** Tracked changes, comments, and note marks, whose notes are read elsewhere. */
const SKIPPED = new Set([
  'tracked-changes',
  'annotation',
  'note-citation',
  'forms',
  'shapes',
  'desc',
  'title',
  'ruby-text',
]);
/** Maximum repetition of rows and cells. Higher counts are empty cells up to the edge of the sheet. */
const MAX_REPEATED = 200;
const CELLS = new Set(['table-cell', 'covered-table-cell']);

interface Paragraph {
  text: string;
  level: number | null;
  style: string;
  /** Whether to drop the next space: leading and repeated spaces do not count. */
  isBlank: boolean;
}

interface List {
  style: string;
  item: number;
  isWritten: boolean;
}

export class OdfBody implements XmlHandler {
  readonly #flow: FlowWriter;
  readonly #writer: BlockWriter;
  readonly #pictures: PictureList;
  readonly #styles = new OdfStyles();
  readonly #paragraphs: Paragraph[] = [];
  readonly #lists: List[] = [];
  readonly #cells: number[] = [];
  readonly #rows: number[] = [];
  #skipped = 0;
  #isBody = false;
  #isSheet = false;
  #frames: string[] = [];
  title: string | null = null;
  pageCount: number | null = null;

  constructor(flow: FlowWriter, writer: BlockWriter, pictures: PictureList) {
    this.#flow = flow;
    this.#writer = writer;
    this.#pictures = pictures;
  }

  open(name: string, attribute: Attributes): void {
    if (!this.#isBody) {
      this.#isBody = name === 'body';
      this.#styles.open(name, attribute);
      return;
    }
    if (SKIPPED.has(name) || (name === 'notes' && this.pageCount === null)) this.#skipped += 1;
    if (this.#skipped > 0) return;
    if (name === 'p' || name === 'h') this.#openParagraph(name, attribute);
    else if (name === 'list')
      this.#lists.push({ style: attribute('style-name') ?? this.#lists.at(-1)?.style ?? '', item: 0, isWritten: true });
    else if (name === 'list-item') this.#openItem(attribute);
    else if (name === 'page') this.#openPage();
    else if (name === 'frame') this.#frames.push(attribute('presentation:class') ?? '');
    else if (name === 'image') this.#openImage(attribute('href') ?? '');
    else this.#openTable(name, attribute);
  }

  close(name: string): void {
    if (!this.#isBody) return;
    if (SKIPPED.has(name) || (name === 'notes' && this.pageCount === null)) this.#skipped -= 1;
    else if (this.#skipped > 0) return;
    else if (name === 'p' || name === 'h') this.#closeParagraph();
    else if (name === 'list') this.#lists.pop();
    else if (name === 'frame') this.#frames.pop();
    else if (CELLS.has(name)) this.#flow.closeCell(this.#cells.pop(), true);
    else if (name === 'table-row') this.#flow.closeRow(this.#rows.pop());
    else if (name === 'table') this.#flow.closeTable();
  }

  text(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (!paragraph || this.#skipped > 0) return;
    const written = text.replace(/\s+/g, ' ');
    paragraph.text += paragraph.isBlank ? written.trimStart() : written;
    paragraph.isBlank = paragraph.text === '' || /\s$/.test(paragraph.text);
  }

  #openParagraph(name: string, attribute: Attributes): void {
    const level = name === 'h' ? Number(attribute('outline-level')) || 1 : null;
    this.#paragraphs.push({ text: '', level, style: attribute('style-name') ?? '', isBlank: true });
  }

  #openItem(attribute: Attributes): void {
    const list = this.#lists.at(-1);
    if (!list) return;
    list.item = Number(attribute('start-value')) || list.item + 1;
    list.isWritten = false;
  }

  #openPage(): void {
    this.#flow.end();
    this.pageCount = (this.pageCount ?? 0) + 1;
    this.#writer.page = this.pageCount;
  }

  /** The picture comes before its paragraph, whose text is not complete. */
  #openImage(href: string): void {
    this.#flow.addPicture(() => this.#pictures.mark(href.replace(/^\.\//, '')));
  }

  #openTable(name: string, attribute: Attributes): void {
    const paragraph = this.#paragraphs.at(-1);
    if (name === 'table') {
      const sheet = attribute('name');
      // Table names are only visible in workbooks.
      if (this.#isSheet && sheet) this.#flow.add({ type: 'heading', level: 1 }, sheet);
      this.#flow.openTable();
    } else if (name === 'table-row') {
      this.#rows.push(Math.min(Number(attribute('number-rows-repeated')) || 1, MAX_REPEATED));
      this.#flow.openRow();
    } else if (CELLS.has(name)) {
      this.#cells.push(Math.min(Number(attribute('number-columns-repeated')) || 1, MAX_REPEATED));
      this.#flow.openCell();
    } else if (name === 'spreadsheet') this.#isSheet = true;
    else if (!paragraph) return;
    else if (name === 's') paragraph.text += ' '.repeat(Math.min(Number(attribute('c')) || 1, 1_000));
    else if (name === 'tab') paragraph.text += '\t';
    else if (name === 'line-break') paragraph.text += '\n';
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph) this.#flow.add(this.#roleOf(paragraph), paragraph.text);
  }

  #roleOf({ level, style, text }: Paragraph): ParagraphRole {
    const named = this.#styles.nameOf(style);
    if (level !== null) return { type: 'heading', level };
    if (this.#frames.at(-1) === 'title') return { type: 'heading', level: 1 };
    if (/^title$/i.test(named)) {
      this.title ??= text.trim() || null;
      return { type: 'heading', level: 1 };
    }
    const list = this.#lists.at(-1);
    if (list) {
      const depth = this.#lists.length - 1;
      const number = !list.isWritten && this.#styles.isNumbered(list.style, depth) ? list.item : null;
      list.isWritten = true;
      return { type: 'item', text: (written) => itemOf(written, depth, number) };
    }
    if (/quotation/i.test(named)) return { type: 'quote' };
    return { type: /preformatted|source/i.test(named) ? 'code' : 'paragraph' };
  }
}

class OdfStyles {
  readonly #parents = new Map<string, string>();
  readonly #numbered = new Map<string, Set<number>>();
  #list = '';

  open(name: string, attribute: Attributes): void {
    const style = attribute('style:name') ?? '';
    if (name === 'style') this.#parents.set(style, attribute('parent-style-name') ?? '');
    else if (name === 'list-style') this.#list = style;
    else if (name === 'list-level-style-number') {
      const depths = this.#numbered.get(this.#list) ?? new Set();
      this.#numbered.set(this.#list, depths.add(Number(attribute('level')) - 1));
    }
  }

  /** Returns the style that the user chose, on which automatic styles are based. */
  nameOf(style: string): string {
    return (this.#parents.get(style) || style).replaceAll('_20_', ' ');
  }

  isNumbered(list: string, depth: number): boolean {
    return this.#numbered.get(list)?.has(depth) ?? false;
  }
}
