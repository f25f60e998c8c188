import type { Attributes, XmlHandler } from '../package/read-xml.ts';
import type { FlowWriter, ParagraphRole } from '../text/flow-writer.ts';
import { itemOf } from '../text/list-numbers.ts';

/** Placeholders for slide numbers, dates, headers, and footers. */
const DECORATION = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
/** Placeholders whose paragraphs are bullet points if there are several. */
const POINTS = new Set(['body', 'obj']);

type Step = (flow: FlowWriter) => void;

/** Reads one slide. Its title may come anywhere, so everything is kept until the end. */
export class SlideReader implements XmlHandler {
  readonly #only: string | null;
  readonly #addPicture: (id: string) => void;
  readonly #steps: Step[] = [];
  title = '';
  /** Placeholder type of the shape. Null for a free shape. */
  #place: string | null = null;
  #points: { text: string; depth: number }[] = [];
  #text = '';
  #depth = 0;
  #isText = false;
  #skipped = 0;
  #cells = 0;

  /** @param addPicture Receives the relation of a picture. */
  constructor(only: string | null = null, addPicture: (id: string) => void = () => undefined) {
    this.#only = only;
    this.#addPicture = addPicture;
  }

  open(name: string, attribute: Attributes): void {
    if (name === 'Fallback') this.#skipped += 1;
    if (this.#skipped > 0) return;
    if (name === 'sp') this.#place = null;
    else if (name === 'ph') this.#place = attribute('type') ?? 'body';
    else if (name === 'p') {
      this.#text = '';
      this.#depth = 0;
    } else if (name === 'pPr') this.#depth = Math.min(Number(attribute('lvl') ?? 0) || 0, 9);
    else if (name === 't') this.#isText = true;
    else if (name === 'br') this.#text += '\n';
    else if (name === 'blip') {
      const id = attribute('r:embed') ?? '';
      this.#step((flow) => flow.addPicture(() => this.#addPicture(id)));
    } else if (name === 'tbl') this.#step((flow) => flow.openTable());
    else if (name === 'tr') this.#step((flow) => flow.openRow());
    else if (name === 'tc') {
      this.#cells += 1;
      this.#step((flow) => flow.openCell());
    }
  }

  close(name: string): void {
    if (name === 'Fallback') this.#skipped -= 1;
    else if (this.#skipped > 0) return;
    else if (name === 't') this.#isText = false;
    else if (name === 'p') this.#endParagraph();
    else if (name === 'sp') this.#endShape();
    else if (name === 'tc') {
      this.#cells -= 1;
      this.#step((flow) => flow.closeCell());
    } else if (name === 'tbl') this.#step((flow) => flow.closeTable());
  }

  text(text: string): void {
    if (this.#isText && this.#skipped === 0) this.#text += text;
  }

  writeTo(flow: FlowWriter): void {
    for (const step of this.#steps) step(flow);
  }

  #endParagraph(): void {
    const text = this.#text;
    this.#text = '';
    const place = this.#place ?? '';
    if (text.trim() === '' || DECORATION.has(place)) return;
    if (this.#only !== null && place !== this.#only) return;
    if (this.#cells > 0) this.#add({ type: 'paragraph' }, text);
    else if (place === 'title' || place === 'ctrTitle') this.title += `${this.title === '' ? '' : ' '}${text}`;
    else if (POINTS.has(place) && this.#only === null) this.#points.push({ text, depth: this.#depth });
    else this.#add({ type: 'paragraph' }, text);
  }

  #endShape(): void {
    const points = this.#points;
    this.#points = [];
    this.#place = null;
    const [first] = points;
    if (points.length === 1 && first) this.#add({ type: 'paragraph' }, first.text);
    else
      for (const { text, depth } of points)
        this.#add({ type: 'item', text: (written) => itemOf(written, depth, null) }, text);
  }

  #add(role: ParagraphRole, text: string): void {
    this.#step((flow) => flow.add(role, text));
  }

  #step(step: Step): void {
    this.#steps.push(step);
  }
}
