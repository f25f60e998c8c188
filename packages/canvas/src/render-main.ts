import { parentPort } from 'node:worker_threads';
import { CanvasError } from './canvas-error.ts';
import { backdropOf, paletteOf } from './palette.ts';
import { renderPicture, renderPixels } from './render-picture.ts';
import type { FromRenderer, ToRenderer } from './render-pool.ts';
import { toPlanar } from './to-planar.ts';

// A thread that runs one drawing job after the other.

parentPort?.on('message', (message: ToRenderer) => {
  work(message).then(
    (result) => answer({ result }, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []),
    (error: unknown) => {
      // Only reports messages that are meant for users.
      const refused = error instanceof CanvasError && error.code === 'invalid_request';
      answer({ failed: refused ? error.message : 'The drawing failed', refused });
    },
  );
});

async function work(message: ToRenderer): Promise<Uint8Array | string[] | string> {
  switch (message.task) {
    case 'picture': {
      const { spec, moment, references } = message.request;
      const palette = references.length === 0 ? spec.palette : await paletteOf(references);
      return withOwnBuffer(await renderPicture({ ...spec, palette }, moment));
    }
    case 'frame': {
      const { spec, moment } = message.request;
      return toPlanar(await renderPixels(spec, moment), spec.width, spec.height);
    }
    case 'palette':
      return paletteOf(message.request.images);
    case 'backdrop': {
      const { image, width, height } = message.request;
      return backdropOf(image, width, height);
    }
    default:
      return message satisfies never;
  }
}

/** Returns bytes with their own buffer, to be transferred without a copy. */
function withOwnBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength &&
    bytes.buffer instanceof ArrayBuffer &&
    !(bytes instanceof Buffer)
    ? bytes
    : new Uint8Array(bytes);
}

function answer(message: FromRenderer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
