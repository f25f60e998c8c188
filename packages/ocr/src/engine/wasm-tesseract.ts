import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createWorker, OEM, type Worker } from 'tesseract.js';
import { type Engine, PAGE_SEGMENTATION, thresholding, toPgm } from './engine-port.ts';

/** Where the data of languages lie that npm packages bring; their names as in `<language>.traineddata.gz`. */
const DATA = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng'));

/** tesseract.js, in a thread of this process. Everything that it needs is on the disk: it never downloads, and keeps nothing. */
export function wasmTesseract(): Engine {
  let loaded: { languages: string; worker: Promise<Worker> } | null = null;
  const load = async (languages: string) => {
    if (loaded?.languages === languages) return loaded.worker;
    const before = loaded;
    loaded = { languages, worker: startWorker(languages) };
    await before?.worker.then((worker) => worker.terminate());
    return loaded.worker;
  };
  return {
    async read(picture, languages, shaded) {
      const worker = await load(languages.join('+'));
      const options = { thresholding_method: thresholding(shaded) } as object; // as its parameters may be given too
      const { data } = await worker.recognize(toPgm(picture), options, { text: false, tsv: true });
      return data.tsv ?? '';
    },
  };
}

async function startWorker(languages: string): Promise<Worker> {
  const worker = await createWorker(languages, OEM.LSTM_ONLY, {
    langPath: `${DATA}/4.0.0_best_int`,
    cacheMethod: 'none',
    gzip: true,
    // What fails is thrown where it was asked for; without a handler it would be thrown twice.
    errorHandler: () => {},
  });
  await worker.setParameters({ tessedit_pageseg_mode: PAGE_SEGMENTATION as never });
  return worker;
}
