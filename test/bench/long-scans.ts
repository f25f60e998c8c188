import { createOcr, type FailedPage, type Ocr } from '@chorus/ocr';
import { createLogger } from '@chorus/runtime/log';
import { childMemory, childrenCpuS, endedChildrenCpuS } from './child-usage.ts';
import { bareSeconds } from './ocr/bare-seconds.ts';
import { linesOf, type ScanOptions, scan, scannedPdf } from './ocr/scans.ts';
import { heading, report } from './report.ts';

const PROCESSES = 2;

const FILES: ScanOptions[] = [
  { pages: 30, mode: 'gray', dpi: 300 },
  { pages: 30, mode: 'color', dpi: 300 },
  { pages: 30, mode: 'fax', dpi: 300 },
  { pages: 6, mode: 'color', dpi: 600 },
  { pages: 300, mode: 'fax', dpi: 300 },
];

/** Reads long scans with the installed engine, and measures lost pages, CPU, and memory. */
export async function longScans(): Promise<void> {
  const searchPath = process.env.PATH ?? '';
  const log = createLogger({ name: 'bench', level: 'silent' });
  const ocr = createOcr({ processes: PROCESSES, log, searchPath });
  const { name, version } = await ocr.engine();
  heading(`Long scans, read by ${PROCESSES} processes of ${name} ${version}`);
  for (const file of FILES) await readScan(ocr, file);
  await ocr.close();
}

async function readScan(ocr: Ocr, options: ScanOptions): Promise<void> {
  const { pages, mode, dpi } = options;
  const what = `${pages} pages, ${mode}, ${dpi} dpi`;
  const pdf = await scannedPdf(options);
  const { name } = await ocr.engine();
  const bare = options.mode === 'fax' ? null : await bareSeconds(name, (await scan(0, options)).image);
  const failures: FailedPage[] = [];
  const startedAt = performance.now();
  const before = cpuSeconds();
  let whole = 0;
  let peak = 0;
  for await (const { number, text } of ocr.read(pdf, 'application/pdf', { onFailure: (page) => failures.push(page) })) {
    const lines = linesOf(number - 1).filter((line) => text.includes(line));
    if (lines.length > 30) whole += 1;
    peak = Math.max(peak, childMemory().get('page-reader') ?? 0);
  }
  const cpu = (cpuSeconds() - before) / pages;
  report(`${what}: pages lost`, String(pages - whole), 'must be 0');
  report(`${what}: pages/s`, (pages / ((performance.now() - startedAt) / 1_000)).toFixed(2));
  report(`${what}: CPU per page (s)`, cpu.toFixed(2));
  if (bare !== null) report(`${what}: the same, of the bare engine`, (cpu / bare).toFixed(2), 'aim at most 1.2');
  report(`${what}: peak memory of a process (MB)`, peak.toFixed(0), 'aim under 600');
}

const cpuSeconds = () => (childrenCpuS() ?? 0) + endedChildrenCpuS();
