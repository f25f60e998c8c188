import type { Package } from '../package/open-package.ts';
import { type Attributes, readXml, type XmlHandler } from '../package/read-xml.ts';

/** Points of a series that are told. */
const MAX_POINTS = 1_000;

/** What a diagram shows. */
export interface Chart {
  /** '' where it has none. */
  title: string;
  /** Its numbers as a table: the series beside each other, a row for each category. */
  rows: string[][];
}

interface Series {
  name: string;
  categories: string[];
  values: string[];
}

/** The diagram of an Office file, as its numbers were when it was saved. */
export async function readChart(packed: Package, part: string): Promise<Chart> {
  const reader = new ChartReader();
  await readXml(packed, part, reader);
  const { title, series } = reader;
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  const rows = Array.from({ length }, (_, index) => [
    categories[index] ?? '',
    ...series.map(({ values }) => values[index] ?? ''),
  ]);
  return { title: title.trim(), rows: length === 0 ? [] : [['', ...series.map(({ name }) => name)], ...rows] };
}

/** What is told within a series by which element. */
const PLACES = new Map<string, 'name' | 'categories' | 'values'>([
  ['tx', 'name'],
  ['cat', 'categories'],
  ['xVal', 'categories'],
  ['val', 'values'],
  ['yVal', 'values'],
]);

class ChartReader implements XmlHandler {
  title = '';
  readonly series: Series[] = [];
  readonly #open: string[] = [];
  #place: 'name' | 'categories' | 'values' | null = null;
  #point = 0;

  open(name: string, attribute: Attributes): void {
    if (name === 'ser') this.series.push({ name: '', categories: [], values: [] });
    else if (this.#open.at(-1) === 'ser') this.#place = PLACES.get(name) ?? null;
    else if (name === 'pt') this.#point = Number(attribute('idx')) || 0;
    this.#open.push(name);
  }

  close(): void {
    this.#open.pop();
    if (this.#open.at(-1) === 'ser') this.#place = null;
  }

  text(text: string): void {
    const at = this.#open.at(-1);
    // Axes have titles too: that of all stands at the top.
    if (at === 't' && this.#open[1] === 'chart' && this.#open[2] === 'title') this.title += text;
    const series = this.series.at(-1);
    if (at !== 'v' || !series || this.#place === null || this.#point >= MAX_POINTS) return;
    if (this.#place === 'name') series.name += text;
    else {
      const list = series[this.#place];
      while (list.length <= this.#point) list.push('');
      list[this.#point] += text;
    }
  }
}
