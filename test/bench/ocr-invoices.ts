import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDocuments } from '@chorus/documents';
import { openPdf } from '@chorus/documents/pdf';
import { createOcr } from '@chorus/ocr';
import { createLogger } from '@chorus/runtime/log';
import { writePdf } from '@chorus/testing';
import { layOutInvoices, pairsTogether, runsTogether } from './ocr/invoices.ts';
import { heading, report } from './report.ts';

const COUNT = 24;
const DPI = 150;

/** Measures whether text in forms and columns is read in order: from text layers, as documents, and from images. */
export async function ocrInvoices(seed = 7): Promise<void> {
  heading(`Order of text on ${COUNT} invoices, some with columns of prose`);
  const log = createLogger({ name: 'bench', level: 'silent' });
  const ocr = createOcr({ processes: 1, log });
  const documents = createDocuments({ processes: 1, log });
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-'));
  const path = join(folder, 'invoice.pdf');
  const read = async (file: Buffer, type: string) => {
    const [page] = await Array.fromAsync(ocr.read(file, type));
    return page?.text ?? '';
  };
  const sums = new Map<string, { pairs: number; runs: number }>();
  for (const { page, pairs, runs } of layOutInvoices(COUNT, seed)) {
    const pdf = writePdf([page]);
    await writeFile(path, pdf);
    const { blocks } = await documents.parse(
      { path, mimeType: 'application/pdf', filename: null },
      { signal: new AbortController().signal },
    );
    const [drawn] = await openPdf({ dpi: DPI }, (opened) => opened.screenshot(pdf, [1]));
    const texts = {
      'text layer': await read(pdf, 'application/pdf'),
      document: blocks.map(({ text }) => text).join('\n\n'),
      picture: await read(drawn?.imageBuffer as Buffer, 'image/png'),
    };
    for (const [name, text] of Object.entries(texts)) {
      const sum = sums.get(name) ?? { pairs: 0, runs: 0 };
      sum.pairs += pairsTogether(text, pairs);
      sum.runs += runsTogether(text, runs);
      sums.set(name, sum);
    }
  }
  await Promise.all([ocr.close(), documents.close(), rm(folder, { recursive: true })]);
  for (const [name, { pairs, runs }] of sums) {
    report(`${name}: labels on one line with their values`, (pairs / COUNT).toFixed(3), 'aim at least .95');
    report(`${name}: lines of addresses and columns together`, (runs / COUNT).toFixed(3), 'aim at least .90');
  }
}
