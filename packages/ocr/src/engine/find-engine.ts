import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { OcrEngine } from '../ocr.ts';

const LOOK_MS = 10_000;

/** An engine, and where its program lies; null: tesseract.js. */
export interface FoundEngine extends OcrEngine {
  program: string | null;
}

/** The machine's tesseract where it is on the path and has languages, else tesseract.js with English. */
export async function findEngine(searchPath: string, tessdata: string | null): Promise<FoundEngine> {
  const program = executableIn(searchPath, 'tesseract');
  if (program !== null) {
    const env = tessdata === null ? {} : { TESSDATA_PREFIX: tessdata };
    /** What it says, by lines; nothing where it fails. */
    const ask = (question: string) =>
      promisify(execFile)(program, [question], { timeout: LOOK_MS, maxBuffer: 1_000_000, env }).then(
        ({ stdout }) => stdout.split('\n').map((line) => line.trim()),
        () => [],
      );
    const [version, languages] = await Promise.all([ask('--version'), ask('--list-langs')]);
    const known = languages.slice(1).filter((name) => /^[a-z]{3}(_[a-z]+)?$/i.test(name) && name !== 'osd');
    if (known.length > 0)
      return { name: 'tesseract', version: version[0]?.split(' ')[1] ?? '', languages: known, program };
  }
  const { version } = createRequire(import.meta.url)('tesseract.js/package.json') as { version: string };
  return { name: 'tesseract.js', version, languages: ['eng'], program: null };
}

function executableIn(searchPath: string, name: string): string | null {
  for (const folder of searchPath.split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return null;
}
