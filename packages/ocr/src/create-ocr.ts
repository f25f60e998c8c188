import type { OcrPage } from '@chorus/contract';
import { ChorusError } from '@chorus/contract/errors';
import type { Logger } from '@chorus/runtime/log';
import { type FoundEngine, findEngine } from './engine/find-engine.ts';
import { verticalOf } from './engine/scripts.ts';
import { howToAdd } from './how-to-add.ts';
import { DEFAULT_LANGUAGES, DEFAULT_LIMITS, type Ocr, type OcrLimits, type ReadOptions } from './ocr.ts';
import { createPagePool } from './page-pool.ts';
import { Reading } from './reading.ts';
import { stageFile } from './stage-file.ts';

export interface OcrOptions {
  /** Number of children, each of which keeps one core busy. */
  processes: number;
  log: Logger;
  /** PATH to search for `tesseract`. If it is not found, tesseract.js is used. */
  searchPath?: string;
  /**
   * TESSDATA_PREFIX for the program. Absent: its built-in path. Without the program, tesseract.js uses the languages
   * found here.
   */
  tessdata?: string | null;
  limits?: Partial<OcrLimits>;
}

/** Creates an OCR engine in sandboxed child processes, which start on first use. */
export function createOcr({ processes, log, searchPath = '', tessdata = null, limits: given }: OcrOptions): Ocr {
  const limits: OcrLimits = { ...DEFAULT_LIMITS, ...given };
  let found: Promise<FoundEngine> | null = null;
  const engine = () => {
    found ??= findEngine(searchPath, tessdata);
    return found;
  };
  const pool = createPagePool(processes, log, async () => ({
    settings: { ...settingsOf(await engine()), pixels: limits.pixels },
    memoryBytes: limits.memoryBytes,
    env: { PATH: searchPath, OMP_THREAD_LIMIT: '1', ...(tessdata !== null && { TESSDATA_PREFIX: tessdata }) },
  }));

  async function* read(
    source: string | Uint8Array,
    mimeType: string,
    options: ReadOptions = {},
  ): AsyncGenerator<OcrPage, void, undefined> {
    const { languages = DEFAULT_LANGUAGES, transcribe } = options;
    const { languages: available, ...rest } = await engine();
    if (!transcribe) checkLanguages(languages, { ...rest, languages: available });
    const vertical = verticalOf(languages, available);
    const { file, remove } = await stageFile(source, mimeType, limits.fileBytes);
    // Work in progress stops when the caller stops iterating.
    const ending = new AbortController();
    const signal = options.signal === undefined ? ending.signal : AbortSignal.any([options.signal, ending.signal]);
    try {
      signal.throwIfAborted();
      yield* new Reading(
        pool,
        file,
        { ...options, languages, vertical, signal, atOnce: processes * 2 },
        limits,
      ).pages();
    } finally {
      ending.abort(new Error('the caller stopped reading'));
      await remove();
    }
  }

  return {
    read,
    async engine() {
      const { name, version, languages } = await engine();
      return { name, version, languages };
    },
    async close() {
      pool.close();
    },
  };
}

const settingsOf = ({ program, data }: FoundEngine) => ({ program, data });

function checkLanguages(wanted: readonly string[], engine: FoundEngine): void {
  const { languages } = engine;
  const missing = wanted.filter((language) => !languages.includes(language));
  if (missing.length === 0) return;
  const problem = `Language not available: ${missing.join(', ').slice(0, 100)}. Available: ${languages.join(', ')}. ${howToAdd(missing, engine)}`;
  throw new ChorusError('invalid_request', problem, { details: [{ path: 'body.languages', message: problem }] });
}
