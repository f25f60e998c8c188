import { parentPort } from 'node:worker_threads';
import { ChorusError } from '@chorus/contract';
import { backdropOf, paletteOf } from './embedded/canvas/palette.ts';
import { renderPicture, renderPixels } from './embedded/canvas/render-picture.ts';
import type { FromRenderer, ToRenderer } from './embedded/canvas/render-protocol.ts';
import { toPlanar } from './embedded/canvas/to-planar.ts';

// A thread that draws, one thing after the other.

parentPort?.on('message', (message: ToRenderer) => {
  work(message).then(
    (gives) => answer({ gives }, gives instanceof Uint8Array ? [gives.buffer as ArrayBuffer] : []),
    (error: unknown) => {
      // Only what is meant for the user is told.
      const refused = error instanceof ChorusError && error.code === 'invalid_request';
      answer({ failed: refused ? error.message : 'It could not be drawn', refused });
    },
  );
});

async function work(message: ToRenderer): Promise<Uint8Array | string[] | string> {
  switch (message.task) {
    case 'picture': {
      const { wish, moment, references } = message.ask;
      const palette = references.length === 0 ? wish.palette : await paletteOf(references);
      return whole(await renderPicture({ ...wish, palette }, moment));
    }
    case 'frame': {
      const { wish, moment } = message.ask;
      return toPlanar(await renderPixels(wish, moment), wish.width, wish.height);
    }
    case 'palette':
      return paletteOf(message.ask.images);
    case 'backdrop': {
      const { image, width, height } = message.ask;
      return backdropOf(image, width, height);
    }
    default:
      return message satisfies never;
  }
}

/** Bytes with a buffer of their own, which can be handed over without a copy. */
function whole(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength &&
    bytes.buffer instanceof ArrayBuffer &&
    !(bytes instanceof Buffer)
    ? bytes
    : new Uint8Array(bytes);
}

function answer(message: FromRenderer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
