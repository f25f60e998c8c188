import type { OcrPage } from '@chorus/contract';
import { type CpuBudget, cpuBudget, cpuMsFor } from '@chorus/sandbox';
import type { VerticalLanguages } from './engine/scripts.ts';
import type { OcrLimits, ReadOptions } from './ocr.ts';
import type { PagePool } from './page-pool.ts';
import { formatPageRanges, parsePageRanges } from './page-ranges.ts';
import type { FileToRead, PageLayer, Task, TaskAnswers } from './page-tasks.ts';
import { attemptsFor, Unreadable, unreadable } from './unreadable.ts';

const LAYERS_AT_ONCE = 10;
/** After this many failures in a row, the remaining pages count as failed. */
const MAX_FAILURES = 20;

export interface ReadingOptions extends Omit<ReadOptions, 'languages' | 'signal'> {
  languages: readonly string[];
  vertical: VerticalLanguages;
  signal: AbortSignal;
  atOnce: number;
}

const RECOGNIZE_CPU_MS = 30_000;

export class Reading {
  readonly #pool: Pick<PagePool, 'run'>;
  readonly #file: FileToRead;
  readonly #options: ReadingOptions;
  readonly #limits: OcrLimits;
  /** Limit for parsing all pages of a PDF together. Rendering one page may take as much. */
  readonly #cpu: CpuBudget;
  /** Pages of which only the text layer was read. */
  readonly #halves = new Map<number, Unreadable>();
  readonly #layers = new Map<number, Promise<(PageLayer | null)[]>>();

  constructor(pool: Pick<PagePool, 'run'>, file: FileToRead, options: ReadingOptions, limits: OcrLimits) {
    this.#pool = pool;
    this.#file = file;
    this.#options = options;
    this.#limits = limits;
    this.#cpu = cpuBudget(cpuMsFor(file.sizeBytes));
  }

  /** Yields pages in order while working ahead. */
  async *pages(): AsyncGenerator<OcrPage, void, undefined> {
    const { pages = null, after = 0, onOpen, onFailure, atOnce } = this.#options;
    const pageCount = await this.#run({ type: 'count', file: this.#file });
    const asked = parsePageRanges(pages, pageCount);
    const chosen = asked.slice(0, this.#limits.pages);
    onOpen?.({ pageCount, pages: chosen, pagesLeft: formatPageRanges(asked.slice(this.#limits.pages)) });
    const numbers = chosen.filter((number) => number > after);
    const ahead: Promise<OcrPage>[] = [];
    let failures = 0;
    for (let at = 0; at < numbers.length; at += 1) {
      for (; ahead.length < atOnce && at + ahead.length < numbers.length; ) {
        const page = this.#page(numbers, at + ahead.length);
        page.catch(() => {}); // reported when its turn comes
        ahead.push(page);
      }
      try {
        const page = (await ahead.shift()) as OcrPage;
        const error = this.#halves.get(page.number);
        if (error) onFailure?.({ page: page.number, error, hasTextLayer: true });
        yield page;
        failures = 0;
      } catch (error) {
        if (!onFailure || !(error instanceof Unreadable)) throw error;
        failures += 1;
        for (const page of failures < MAX_FAILURES ? [numbers[at] as number] : numbers.slice(at))
          onFailure({ page, error, hasTextLayer: false });
        if (failures === MAX_FAILURES) return;
      }
    }
  }

  async #page(numbers: readonly number[], at: number): Promise<OcrPage> {
    const number = numbers[at] as number;
    if (this.#file.type !== 'application/pdf') return this.#fromPicture(number, null);
    const begin = at - (at % LAYERS_AT_ONCE);
    let layers = this.#layers.get(begin);
    if (layers === undefined) {
      layers = this.#readLayers(numbers.slice(begin, begin + LAYERS_AT_ONCE));
      this.#layers.set(begin, layers);
      this.#layers.delete(begin - 2 * LAYERS_AT_ONCE);
    }
    const layer = (await layers)[at - begin] ?? null;
    if (layer?.score === 'whole') return layer.page;
    if (layer?.score !== 'part') return this.#fromPicture(number, layer?.page ?? null);
    try {
      const read = await this.#fromPicture(number, layer.page);
      return lettersOf(layer.page) >= lettersOf(read) ? layer.page : read;
    } catch (error) {
      if (!this.#options.onFailure || !(error instanceof Unreadable)) throw error;
      this.#halves.set(number, error);
      return layer.page;
    }
  }

  /** Null: the text layer of the page is unreadable, but its picture may not be. */
  async #readLayers(pages: number[]): Promise<(PageLayer | null)[]> {
    try {
      return await this.#run({ type: 'layers', file: this.#file, pages });
    } catch (error) {
      if (!(error instanceof Unreadable) || this.#cpu.leftMs <= 0) throw error;
      if (pages.length === 1) return [null];
      const layers: (PageLayer | null)[] = [];
      for (const page of pages) layers.push(...(await this.#readLayers([page])));
      return layers;
    }
  }

  async #fromPicture(page: number, layer: OcrPage | null): Promise<OcrPage> {
    const { transcribe, languages, vertical, signal } = this.#options;
    const file = this.#file;
    if (!transcribe) return this.#run({ type: 'recognize', file, page, languages: [...languages], vertical });
    const { bytes, width, height, blank } = await this.#run({ type: 'picture', file, page });
    const image = { number: page, mimeType: 'image/jpeg', bytes } as const;
    const read = blank ? { text: '', markdown: '' } : await transcribe(image, signal);
    const size = layer === null || layer.width === 0 ? { width, height } : { width: layer.width, height: layer.height };
    return { number: page, ...size, rotation: 0, source: 'image', ...read, confidence: null, lines: null };
  }

  /** Repeats a failed task in a fresh child before blaming the file. */
  async #run<T extends Task>(task: T): Promise<TaskAnswers[T['type']]> {
    const { signal } = this.#options;
    const cpu = this.#cpuFor(task);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const call = { owner: this, signal, timeoutMs: this.#limits.pageMs, cpu, fresh: attempt > 1 };
        return (await this.#pool.run(task, call)) as TaskAnswers[T['type']];
      } catch (error) {
        signal.throwIfAborted();
        if (attempt >= attemptsFor(task, error)) throw unreadable(task, error, this.#limits);
      }
    }
  }

  #cpuFor({ type }: Task): CpuBudget {
    if (type === 'count' || type === 'layers') return this.#cpu;
    return cpuBudget(this.#cpu.totalMs + (type === 'recognize' ? RECOGNIZE_CPU_MS : 0));
  }
}

const lettersOf = ({ text }: OcrPage) => text.replace(/\s/g, '').length;
