import type { Package } from '../package/open-package.ts';
import { type Attributes, readXml, type XmlHandler } from '../package/read-xml.ts';

const MAX_POINTS = 1_000;

export interface Chart {
  title: string;
  rows: string[][];
}

interface Series {
  name: string;
  categories: string[];
  values: string[];
}

/** Reads a chart of an Office file, with the values from when it was saved. */
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
    // Axes have titles, too, but only the chart's title counts.
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
