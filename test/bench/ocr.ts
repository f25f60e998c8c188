import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createOcr, type Ocr } from '@chorus/ocr';
import { createLogger } from '@chorus/runtime/log';
import { childrenCpuS } from './child-usage.ts';
import { characterErrorRate } from './error-rates.ts';
import { type BenchPage, renderPages } from './ocr/pages.ts';
import { ocrInvoices } from './ocr-invoices.ts';
import { ocrReceipts } from './ocr-receipts.ts';
import { heading, report } from './report.ts';

const AIMS: Partial<Record<BenchPage['set'], string>> = { rendered: 'aim under .01', scanned: 'aim under .04' };

/**
 * Measures accuracy and speed of the installed OCR engines.
 *
 * `--scans <folder>` adds pages: `<name>.png` with its text in `<name>.txt`.
 */
export async function ocr(): Promise<void> {
  const { values } = parseArgs({ options: { scans: { type: 'string' } }, allowPositionals: true });
  const scans = values.scans === undefined ? [] : readScans(values.scans);
  const log = createLogger({ name: 'bench', level: 'silent' });
  const pages = await renderPages();
  for (const searchPath of [process.env.PATH ?? '', '']) {
    const reader = createOcr({ processes: 1, log, searchPath });
    const { name, version } = await reader.engine();
    if (searchPath === '' || name === 'tesseract') {
      heading(`Pages read by ${name} ${version}`);
      await readAll(reader, pages, scans);
    }
    await reader.close();
  }
  await ocrInvoices();
  await ocrReceipts();
}

async function readAll(reader: Ocr, pages: readonly BenchPage[], scans: readonly Scan[]): Promise<void> {
  await readOne(reader, pages[0]?.png as Buffer); // loads the engine
  const seconds: number[] = [];
  const rates = new Map<BenchPage['set'], number[]>();
  for (const { set, name, png, text } of pages) {
    const read = await readOne(reader, png);
    const rate = characterErrorRate(read.text, text);
    seconds.push(read.seconds);
    rates.set(set, [...(rates.get(set) ?? []), rate]);
    report(`  ${name} (error rate, s)`, `${rate.toFixed(4)} ${read.seconds.toFixed(1)}`);
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (const [set, values] of rates) report(`${set}: character error rate`, mean(values).toFixed(4), AIMS[set]);
  report('per page, on one core (s)', mean(seconds).toFixed(2), 'aim at most 3');
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

/** CPU seconds where available, so that other load on the machine hardly matters. */
async function readOne(reader: Ocr, png: Buffer): Promise<{ text: string; seconds: number }> {
  const before = childrenCpuS();
  const startedAt = performance.now();
  let text = '';
  for await (const page of reader.read(png, 'image/png')) text += page.text;
  const after = childrenCpuS();
  const seconds = before === null || after === null ? (performance.now() - startedAt) / 1_000 : after - before;
  return { text, seconds };
}
