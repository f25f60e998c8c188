import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { OcrEngine } from '@chorus/contract';

const PROBE_TIMEOUT_MS = 10_000;

export interface FoundEngine extends OcrEngine {
  program: string | null;
  data: string | null;
}

const EXTENSION = '.traineddata';
const LANGUAGE = /^[a-z]{3}(_[a-z]+){0,2}$/i;

/** Finds tesseract on the path with its languages, or else tesseract.js with the folder's languages or English. */
export async function findEngine(searchPath: string, tessdata: string | null): Promise<FoundEngine> {
  const program = executableIn(searchPath, 'tesseract');
  if (program !== null) {
    const env = { PATH: searchPath, ...(tessdata !== null && { TESSDATA_PREFIX: tessdata }) };
    const ask = (question: string) =>
      promisify(execFile)(program, [question], { timeout: PROBE_TIMEOUT_MS, maxBuffer: 1_000_000, env }).then(
        ({ stdout }) => stdout.split('\n').map((line) => line.trim()),
        () => [],
      );
    const [version, languages] = await Promise.all([ask('--version'), ask('--list-langs')]);
    const known = languages.slice(1).filter(isLanguage);
    if (known.length > 0)
      return { name: 'tesseract', version: version[0]?.split(' ')[1] ?? '', languages: known, program, data: null };
  }
  const { version } = createRequire(import.meta.url)('tesseract.js/package.json') as { version: string };
  const own = tessdata === null ? [] : await languagesIn(tessdata);
  return own.length > 0
    ? { name: 'tesseract.js', version, languages: own, program: null, data: tessdata }
    : { name: 'tesseract.js', version, languages: ['eng'], program: null, data: null };
}

/** `osd` only detects orientation. */
const isLanguage = (name: string) => LANGUAGE.test(name) && name !== 'osd';

async function languagesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => name.slice(0, -EXTENSION.length))
    .filter(isLanguage)
    .sort();
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
