import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { OcrEngine } from '@chorus/contract';
import { createWorker, OEM } from 'tesseract.js';
import { endedChildrenCpuS } from '../child-usage.ts';

const ENGLISH = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng'));

/** Returns the CPU seconds that an engine without our preparation takes for an image. */
export async function bareSeconds(engine: OcrEngine['name'], image: Buffer): Promise<number> {
  if (engine === 'tesseract') {
    const before = endedChildrenCpuS();
    const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
    const child = spawn(engine, ['stdin', 'stdout', 'tsv'], { stdio: ['pipe', 'ignore', 'ignore'], env });
    child.stdin.end(image);
    await once(child, 'close');
    return endedChildrenCpuS() - before;
  }
  const langPath = `${ENGLISH}/4.0.0_best_int`;
  const worker = await createWorker('eng', OEM.LSTM_ONLY, { langPath, cacheMethod: 'none', gzip: true });
  await worker.recognize(image, {}, { tsv: true }); // compiles
  const before = process.cpuUsage();
  await worker.recognize(image, {}, { tsv: true });
  const { user, system } = process.cpuUsage(before);
  await worker.terminate();
  return (user + system) / 1_000_000;
}
