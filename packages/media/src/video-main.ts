import { openParentChannel } from '@chorus/sandbox/child';
import { ALL_FORMATS, CustomSource, Input, type InputVideoTrack, type VideoSample, VideoSampleSink } from 'mediabunny';
import type { FromChild, ToChild, VideoFacts } from './video-protocol.ts';

const POSTER_SIDE = 384;

/** Larger frames are not decoded. */
const MAX_FRAME_PIXELS = 40_000_000;

const CACHE_BYTES = 8_000_000;

/** Longer durations (over ten days) are errors in the file. */
const MAX_DURATION_S = 864_000;

/** Raw pixels; the standard types do not include this format yet. */
const RGBA = { format: 'RGBA' } as VideoFrameCopyToOptions;

const answers = new Map<number, (bytes: Uint8Array) => void>();

/** Reads one video, with bytes requested from the parent process, and exits. */
const parent = openParentChannel();
parent.on('message', (request) => {
  const message = request as ToChild;
  if (message.type === 'bytes') {
    answers.get(message.id)?.(message.bytes);
    answers.delete(message.id);
    return;
  }
  work(message).then(finish, () => finish({ type: 'unreadable' }));
});
parent.on('close', () => process.exit(0));

function finish(message: FromChild): void {
  parent.send(message, () => process.exit(0));
}

async function work({ task, sizeBytes }: Extract<ToChild, { type: 'begin' }>): Promise<FromChild> {
  let reads = 0;
  const read = (start: number, end: number) =>
    new Promise<Uint8Array>((resolve) => {
      const id = ++reads;
      answers.set(id, resolve);
      parent.send({ type: 'read', id, start, end } satisfies FromChild);
    });
  const source = new CustomSource({ getSize: () => sizeBytes, read, maxCacheSize: CACHE_BYTES });
  const input = new Input({ source, formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (task === 'probe') return { type: 'probed', facts: await factsOf(input, track) };
  const poster = track && (await posterOf(track));
  return poster ? { type: 'poster', poster } : { type: 'unreadable' };
}

async function factsOf(input: Input, track: InputVideoTrack | null): Promise<VideoFacts> {
  // Trusts the metadata if present, to avoid reading the whole file.
  const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
  const sane = Number.isFinite(seconds) && seconds > 0 && seconds < MAX_DURATION_S;
  return {
    width: track && (await track.getDisplayWidth()),
    height: track && (await track.getDisplayHeight()),
    duration_ms: sane ? Math.round(seconds * 1_000) : null,
  };
}

/** Makes a small upright WebP of the first frame; null if it cannot be decoded. */
async function posterOf(track: InputVideoTrack): Promise<Uint8Array | null> {
  if ((await track.getCodedWidth()) * (await track.getCodedHeight()) > MAX_FRAME_PIXELS) return null;
  // Loaded only when needed, so that probes are faster.
  await import('@napi-rs/webcodecs/polyfill');
  if (!(await track.canDecode())) return null;
  for await (const sample of new VideoSampleSink(track).samples()) return pictureOf(sample);
  return null;
}

async function pictureOf(sample: VideoSample): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  const frame = sample.toVideoFrame();
  const pixels = new Uint8Array(frame.allocationSize(RGBA));
  await frame.copyTo(pixels, RGBA);
  const { width, height } = frame.visibleRect ?? { width: frame.codedWidth, height: frame.codedHeight };
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .rotate(sample.rotation)
    .resize(POSTER_SIDE, POSTER_SIDE, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
