import { parentPort } from 'node:worker_threads';
import '@napi-rs/webcodecs/polyfill';
import { FilePathTarget, Mp4OutputFormat, Output, VideoSample, VideoSampleSource } from 'mediabunny';
import type { FromEncoder, ToEncoder, VideoShape } from './encode-video.ts';

// A thread that encodes one video.

/** Bits per pixel and frame: flat drawings need few. */
const BITS_PER_PIXEL = 0.09;
const MIN_BITS_PER_S = 400_000;
const KEY_FRAME_EVERY_S = 2;

/** High profile at the lowest level that all decoders here support; raised for larger pictures. */
const SMALL_CODEC = 'avc1.64001f';
const SMALL_PIXELS = 640 * 360;

const COLORS = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

let shape: VideoShape;
let output: Output;
let source: VideoSampleSource;

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
    case 'frame': {
      const { width, height, fps } = shape;
      const { frame, planes } = message;
      const times = { timestamp: frame / fps, duration: 1 / fps };
      const sample = new VideoSample(planes, {
        format: 'I420',
        codedWidth: width,
        codedHeight: height,
        ...times,
        colorSpace: COLORS,
      });
      await source.add(sample);
      sample.close();
      return;
    }
    case 'close':
      return output.finalize();
    default:
      message satisfies never;
  }
}

async function open(): Promise<void> {
  const { path, width, height, fps, frames } = shape;
  const pixels = width * height;
  output = new Output({ format: new Mp4OutputFormat({ fastStart: 'reserve' }), target: new FilePathTarget(path) });
  source = new VideoSampleSource({
    codec: 'avc',
    bitrate: Math.max(MIN_BITS_PER_S, Math.round(pixels * fps * BITS_PER_PIXEL)),
    keyFrameInterval: KEY_FRAME_EVERY_S,
    ...(pixels <= SMALL_PIXELS && { fullCodecString: SMALL_CODEC }),
  });
  output.addVideoTrack(source, { frameRate: fps, maximumPacketCount: frames + 2 });
  await output.start();
}

function answer(message: FromEncoder): void {
  parentPort?.postMessage(message);
}
