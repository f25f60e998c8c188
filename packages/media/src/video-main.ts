import { ALL_FORMATS, CustomSource, Input, type InputVideoTrack, type VideoSample, VideoSampleSink } from 'mediabunny';
import type { FromChild, ToChild, VideoFacts } from './video-protocol.ts';

/** The longer side of a poster, in pixels, at most. */
const POSTER_SIDE = 384;

/** Larger frames are not decoded. */
const MAX_FRAME_PIXELS = 40_000_000;

/** How much of the file is kept in memory. */
const CACHE_BYTES = 8_000_000;

/** Durations beyond are mistakes of the file: ten days. */
const MAX_DURATION_S = 864_000;

/** The pixels as they are; the standard's own types don't have it yet. */
const RGBA = { format: 'RGBA' } as VideoFrameCopyToOptions;

const answers = new Map<number, (bytes: Uint8Array) => void>();

/** A process that looks into one video, whose bytes it asks its parent for, and ends. */
process.on('message', (message: ToChild) => {
  if (message.type === 'bytes') {
    answers.get(message.id)?.(message.bytes);
    answers.delete(message.id);
    return;
  }
  work(message).then(finish, () => finish({ type: 'unreadable' }));
});
process.on('disconnect', () => process.exit(0));

function finish(message: FromChild): void {
  process.send?.(message, () => process.exit(0));
}

async function work({ task, sizeBytes }: Extract<ToChild, { type: 'begin' }>): Promise<FromChild> {
  let reads = 0;
  const read = (start: number, end: number) =>
    new Promise<Uint8Array>((resolve) => {
      const id = ++reads;
      answers.set(id, resolve);
      process.send?.({ type: 'read', id, start, end } satisfies FromChild);
    });
  const source = new CustomSource({ getSize: () => sizeBytes, read, maxCacheSize: CACHE_BYTES });
  const input = new Input({ source, formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (task === 'probe') return { type: 'probed', facts: await factsOf(input, track) };
  const poster = track && (await posterOf(track));
  return poster ? { type: 'poster', poster } : { type: 'unreadable' };
}

async function factsOf(input: Input, track: InputVideoTrack | null): Promise<VideoFacts> {
  // What the file says of itself is enough, and costs no walk through all of it.
  const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
  const sane = Number.isFinite(seconds) && seconds > 0 && seconds < MAX_DURATION_S;
  return {
    width: track && (await track.getDisplayWidth()),
    height: track && (await track.getDisplayHeight()),
    duration_ms: sane ? Math.round(seconds * 1_000) : null,
  };
}

/** The first frame, upright, as a small WebP; null where it can't be decoded. */
async function posterOf(track: InputVideoTrack): Promise<Uint8Array | null> {
  if ((await track.getCodedWidth()) * (await track.getCodedHeight()) > MAX_FRAME_PIXELS) return null;
  // Loaded for those alone who need it: measures are told sooner without.
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
