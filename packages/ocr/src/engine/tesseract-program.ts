import { spawn } from 'node:child_process';
import type { Raster } from '../image/raster.ts';
import { type Engine, SEGMENTATION_MODES, toPgm } from './engine-port.ts';

const MAX_OUTPUT = 32_000_000;

/** Runs the `tesseract` program for each page, within the limits of this process. */
export function tesseractProgram(path: string): Engine {
  return {
    read(picture, languages, segmentation) {
      const mode = SEGMENTATION_MODES[segmentation];
      return run(path, ['stdin', 'stdout', '-l', languages.join('+'), '--psm', mode, 'tsv'], picture);
    },
    async detectScript(picture) {
      // Fails without its data, or with too little text.
      const answer = await run(path, ['stdin', 'stdout', '-l', 'osd', '--psm', '0'], picture).catch(() => '');
      return /^Script: (\w+)/m.exec(answer)?.[1] ?? null;
    },
  };
}

function run(path: string, options: string[], picture: Raster): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, options, { stdio: ['pipe', 'pipe', 'ignore'] });
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size > MAX_OUTPUT) child.kill('SIGKILL');
      else parts.push(part);
    });
    child.stdin.on('error', () => {}); // it ended before reading all input; the exit code explains why
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts).toString('utf8'));
      else reject(new Error(`tesseract ended with ${code ?? 'a signal'}`));
    });
    child.stdin.end(toPgm(picture));
  });
}
