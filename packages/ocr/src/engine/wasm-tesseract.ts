import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createWorker, OEM, type Worker } from 'tesseract.js';
import { type Engine, SEGMENTATION_MODES, toPgm } from './engine-port.ts';

const packages = createRequire(import.meta.url);
const ENGLISH = dirname(packages.resolve('@tesseract.js-data/eng'));
const SCRIPTS = dirname(packages.resolve('@tesseract.js-data/osd'));

/**
 * Runs tesseract.js in a thread of this process, offline and without a cache.
 *
 * @param data A folder of `<language>.traineddata` files. Null for English.
 */
export function wasmTesseract(data: string | null): Engine {
  let loaded: { languages: string; worker: Promise<Worker> } | null = null;
  const load = async (languages: string) => {
    if (loaded?.languages === languages) return loaded.worker;
    const before = loaded?.worker;
    const worker = (async () => {
      await before?.then((ended) => ended.terminate()); // two at once would not fit in memory
      return startWorker(languages, data);
    })();
    loaded = { languages, worker };
    loaded.worker.catch(() => {
      loaded = null;
    });
    return loaded.worker;
  };
  return {
    async read(picture, languages, segmentation) {
      const worker = await load(languages.join('+'));
      // Parameters are accepted here too.
      const options = { tessedit_pageseg_mode: SEGMENTATION_MODES[segmentation] } as object;
      const { data } = await worker.recognize(toPgm(picture), options, { text: false, tsv: true });
      return data.tsv ?? '';
    },
    async detectScript(picture) {
      const worker = await startScriptWorker().catch(() => null);
      try {
        const { data } = (await worker?.detect(toPgm(picture))) ?? {};
        return data?.script ?? null;
      } catch {
        return null; // too little text
      } finally {
        await worker?.terminate();
      }
    },
  };
}

async function startWorker(languages: string, folder: string | null): Promise<Worker> {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {}); // later errors are thrown by the call that caused them
  const starting = createWorker(languages, OEM.LSTM_ONLY, {
    langPath: folder ?? `${ENGLISH}/4.0.0_best_int`,
    cacheMethod: 'none',
    gzip: folder === null,
    // A language that fails to load is reported here only.
    errorHandler: (error: unknown) => failure.reject(new Error(`tesseract.js: ${String(error)}`)),
  });
  const worker = await Promise.race([starting, failure.promise]);
  return worker;
}

/** Needs the engine's older recognizer, whose memory is freed after use. */
function startScriptWorker(): Promise<Worker> {
  return createWorker('osd', OEM.TESSERACT_ONLY, {
    langPath: `${SCRIPTS}/4.0.0`,
    cacheMethod: 'none',
    gzip: true,
    legacyCore: true,
    legacyLang: true,
    errorHandler: () => {}, // reported by the call, too
  });
}
