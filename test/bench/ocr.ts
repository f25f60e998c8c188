import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger } from '@chorus/log';
import { createOcr, type Ocr } from '@chorus/ocr';
import { heading, report } from './figures.ts';
import { childrenCpuS } from './ocr/children-cpu.ts';
import { characterErrorRate } from './ocr/error-rate.ts';
import { type TruePage, truePages } from './ocr/pages.ts';

const AIMS: Partial<Record<TruePage['set'], string>> = { rendered: 'aim under .01', scanned: 'aim under .04' };

/**
 * How well and how fast pages are read, by each engine that is here. `--scans <folder>` adds pages of your own: `<name>.png` beside
 * `<name>.txt`, what it says.
 */
export async function ocr(): Promise<void> {
  const { values } = parseArgs({ options: { scans: { type: 'string' } }, allowPositionals: true });
  const scans = values.scans === undefined ? [] : readScans(values.scans);
  const log = createLogger({ name: 'bench', level: 'silent' });
  const pages = await truePages();
  for (const searchPath of [process.env.PATH ?? '', '']) {
    const reader = createOcr({ processes: 1, log, searchPath });
    const { name, version } = await reader.engine();
    if (searchPath === '' || name === 'tesseract') {
      heading(`Pages read by ${name} ${version}`);
      await readAll(reader, pages, scans);
    }
    await reader.close();
  }
}

async function readAll(reader: Ocr, pages: readonly TruePage[], scans: readonly Scan[]): Promise<void> {
  await readOne(reader, pages[0]?.png as Buffer); // the engine is loaded
  const seconds: number[] = [];
  const rates = new Map<TruePage['set'], number[]>();
  for (const { set, name, png, text } of pages) {
    const read = await readOne(reader, png);
    const rate = characterErrorRate(read.text, text);
    seconds.push(read.seconds);
    rates.set(set, [...(rates.get(set) ?? []), rate]);
    report(`  ${name} (error rate, s)`, `${rate.toFixed(4)} ${read.seconds.toFixed(1)}`);
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (const [set, values] of rates) report(`${set}: characters read wrong`, mean(values).toFixed(4), AIMS[set]);
  report('a page, on one core (s)', mean(seconds).toFixed(2), 'aim at most 3');
  for (const scan of scans) await readScan(reader, scan);
}

interface Scan {
  name: string;
  png: Buffer;
  text: string;
}

function readScans(folder: string): Scan[] {
  const names = readdirSync(folder).flatMap((file) => /^(.*)\.png$/.exec(file)?.[1] ?? []);
  return names.sort().map((name) => ({
    name,
    png: readFileSync(join(folder, `${name}.png`)),
    text: readFileSync(join(folder, `${name}.txt`), 'utf8'),
  }));
}

async function readScan(reader: Ocr, { name, png, text }: Scan): Promise<void> {
  const read = await readOne(reader, png);
  report(`${name} (error rate, s)`, `${characterErrorRate(read.text, text).toFixed(4)} ${read.seconds.toFixed(1)}`);
}

/** Seconds of computing, where the system tells them, so that what else runs on the machine changes little. */
async function readOne(reader: Ocr, png: Buffer): Promise<{ text: string; seconds: number }> {
  const before = childrenCpuS();
  const began = performance.now();
  let text = '';
  for await (const page of reader.read(png, 'image/png')) text += page.text;
  const after = childrenCpuS();
  const seconds = before === null || after === null ? (performance.now() - began) / 1_000 : after - before;
  return { text, seconds };
}
