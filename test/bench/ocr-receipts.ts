import { createOcr, type Ocr } from '@chorus/ocr';
import { createLogger } from '@chorus/runtime/log';
import { childrenCpuS } from './child-usage.ts';
import { wordsFound } from './error-rates.ts';
import { bareEngine } from './ocr/bare-engine.ts';
import { type Receipt, renderReceipts } from './ocr/receipts.ts';
import { heading, report } from './report.ts';

const COUNT = 30;

/** Measures receipts, printed and photographed here, against the same engine with simple preprocessing. */
export async function ocrReceipts(seed = 7): Promise<void> {
  heading(`OCR of ${COUNT} receipts, by tesseract.js`);
  const ocr = createOcr({ processes: 1, log: createLogger({ name: 'bench', level: 'silent' }) });
  const bare = await bareEngine();
  const sums = { ours: 0, bare: 0, turned: 0, errors: 0, cpuS: 0 };
  const below: string[] = [];
  for (const receipt of await renderReceipts(COUNT, seed)) {
    const before = childrenCpuS();
    const read = await readOne(ocr, receipt).catch(() => null);
    const after = childrenCpuS();
    const ours = wordsFound(read?.text ?? '', receipt.text);
    const theirs = wordsFound(await bare.read(receipt.bytes), receipt.text);
    sums.ours += ours;
    sums.bare += theirs;
    sums.turned += Number(read !== null && read.rotation > 45 && read.rotation < 315);
    sums.errors += Number(read === null);
    sums.cpuS += (after ?? 0) - (before ?? 0);
    if (ours < theirs - 0.03) below.push(`${receipt.name}: ${ours.toFixed(2)}, bare ${theirs.toFixed(2)}`);
  }
  await bare.close();
  await ocr.close();
  report('words found', (sums.ours / COUNT).toFixed(3), 'aim at least .83');
  report('words found by the bare engine', (sums.bare / COUNT).toFixed(3));
  report('turned wrongly', String(sums.turned), 'aim 0');
  report('errors', String(sums.errors), 'aim 0');
  report('per receipt, on one core (s)', (sums.cpuS / COUNT).toFixed(2));
  for (const receipt of below) report(`  worse than bare: ${receipt}`, '');
}

async function readOne(ocr: Ocr, { bytes, type }: Receipt): Promise<{ text: string; rotation: number }> {
  const [page] = await Array.fromAsync(ocr.read(bytes, type));
  return { text: page?.text ?? '', rotation: page?.rotation ?? 0 };
}
