import { parentPort } from 'node:worker_threads';
import { H264Writer } from '@chorus/codecs/h264';
import type { FromEncoder, ToEncoder, VideoShape } from './encode-video.ts';

// A thread that encodes one video.

/** Bits per pixel and frame. Flat drawings need few. */
const BITS_PER_PIXEL = 0.09;
const MIN_BITS_PER_S = 400_000;
const KEY_FRAME_EVERY_S = 2;

let shape: VideoShape;
let writer: H264Writer;

parentPort?.on('message', (message: ToEncoder) => {
  work(message).then(
    () => answer({ type: 'done' }),
    (error: unknown) => answer({ type: 'failed', reason: error instanceof Error ? error.message : 'unknown' }),
  );
});

async function work(message: ToEncoder): Promise<void> {
  switch (message.type) {
    case 'open':
      shape = message.shape;
      return open();
    case 'frame':
      return writer.add(message.planes);
    case 'close':
      return writer.writeTo(shape.path);
    default:
      message satisfies never;
  }
}

async function open(): Promise<void> {
  const { width, height, fps } = shape;
  writer = await H264Writer.open({
    width,
    height,
    fps,
    bitsPerS: Math.max(MIN_BITS_PER_S, Math.round(width * height * fps * BITS_PER_PIXEL)),
    keyFrameEveryS: KEY_FRAME_EVERY_S,
  });
}

function answer(message: FromEncoder): void {
  parentPort?.postMessage(message);
}
