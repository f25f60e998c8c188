import { ChorusError, type OcrPage } from '@chorus/contract';
import { ChildGone, type CpuBudget, CpuTimeout, cpuBudget, cpuMsFor, TaskTimeout } from '@chorus/sandbox';
import type { OcrLimits, ReadOptions } from './ocr.ts';
import type { PagePool } from './page-pool.ts';
import { formatPageRanges, parsePageRanges } from './page-ranges.ts';
import type { FileToRead, PageLayer, Task, TaskAnswers } from './page-tasks.ts';

const LAYERS_AT_ONCE = 10;

export interface ReadingOptions extends Omit<ReadOptions, 'languages' | 'signal'> {
  languages: readonly string[];
  signal: AbortSignal;
  atOnce: number;
}

const RECOGNIZE_CPU_MS = 30_000;

export class Reading {
  readonly #pool: PagePool;
  readonly #file: FileToRead;
  readonly #options: ReadingOptions;
  readonly #limits: OcrLimits;
  /** For parsing a PDF, all pages together; rendering one page may take as much. */
  readonly #cpu: CpuBudget;
  readonly #layers = new Map<number, Promise<PageLayer[]>>();

  constructor(pool: PagePool, file: FileToRead, options: ReadingOptions, limits: OcrLimits) {
    this.#pool = pool;
    this.#file = file;
    this.#options = options;
    this.#limits = limits;
    this.#cpu = cpuBudget(cpuMsFor(file.sizeBytes));
  }

  /** Yields pages in order while working ahead. */
  async *pages(): AsyncGenerator<OcrPage, void, undefined> {
    const { pages = null, after = 0, onOpen, atOnce } = this.#options;
    const pageCount = await this.#run({ type: 'count', file: this.#file });
    const asked = parsePageRanges(pages, pageCount);
    const chosen = asked.slice(0, this.#limits.pages);
    onOpen?.({ pageCount, pages: chosen, pagesLeft: formatPageRanges(asked.slice(this.#limits.pages)) });
    const numbers = chosen.filter((number) => number > after);
    const ahead: Promise<OcrPage>[] = [];
    for (let next = 0; next < numbers.length || ahead.length > 0; ) {
      for (; ahead.length < atOnce && next < numbers.length; next += 1) {
        const page = this.#page(numbers, next);
        page.catch(() => {}); // reported when its turn comes
        ahead.push(page);
      }
      yield (await ahead.shift()) as OcrPage;
    }
  }

  async #page(numbers: readonly number[], at: number): Promise<OcrPage> {
    const number = numbers[at] as number;
    if (this.#file.type !== 'application/pdf') return this.#fromPicture(number, null);
    const begin = at - (at % LAYERS_AT_ONCE);
    let layers = this.#layers.get(begin);
    if (layers === undefined) {
      layers = this.#run({ type: 'layers', file: this.#file, pages: numbers.slice(begin, begin + LAYERS_AT_ONCE) });
      this.#layers.set(begin, layers);
      this.#layers.delete(begin - 2 * LAYERS_AT_ONCE);
    }
    const layer = (await layers)[at - begin] as PageLayer;
    if (layer.score === 'whole') return layer.page;
    const read = await this.#fromPicture(number, layer.page);
    return layer.score === 'part' && lettersOf(layer.page) >= lettersOf(read) ? layer.page : read;
  }

  async #fromPicture(page: number, layer: OcrPage | null): Promise<OcrPage> {
    const { transcribe, languages, signal } = this.#options;
    const file = this.#file;
    if (!transcribe) return this.#run({ type: 'recognize', file, page, languages: [...languages] });
    const { bytes, width, height, blank } = await this.#run({ type: 'picture', file, page });
    const image = { number: page, mimeType: 'image/jpeg', bytes } as const;
    const read = blank ? { text: '', markdown: '' } : await transcribe(image, signal);
    const size = layer === null || layer.width === 0 ? { width, height } : { width: layer.width, height: layer.height };
    return { number: page, ...size, rotation: 0, source: 'image', ...read, confidence: null, lines: null };
  }

  async #run<T extends Task>(task: T): Promise<TaskAnswers[T['type']]> {
    const { signal } = this.#options;
    const { pageMs, memoryBytes } = this.#limits;
    try {
      const answer = await this.#pool.run(task, { owner: this, signal, timeoutMs: pageMs, cpu: this.#cpuFor(task) });
      return answer as TaskAnswers[T['type']];
    } catch (error) {
      const where = 'page' in task ? `Page ${task.page}` : 'The file';
      if (error instanceof TaskTimeout)
        throw new ChorusError('timeout', `${where} took longer to read than the ${pageMs / 1_000} s allowed.`);
      if (error instanceof CpuTimeout)
        throw new ChorusError(
          'invalid_request',
          `${where} cannot be read: it needs more than the ${Math.round(error.limitMs / 1_000)} s of CPU time allowed.`,
        );
      if (error instanceof ChildGone)
        throw new ChorusError(
          'invalid_request',
          `${where} cannot be read: it is damaged or needs more than the ${Math.round(memoryBytes / 1e6)} MB of memory allowed.`,
        );
      throw error;
    }
  }

  #cpuFor({ type }: Task): CpuBudget {
    if (type === 'count' || type === 'layers') return this.#cpu;
    return cpuBudget(this.#cpu.totalMs + (type === 'recognize' ? RECOGNIZE_CPU_MS : 0));
  }
}

const lettersOf = ({ text }: OcrPage) => text.replace(/\s/g, '').length;
