import { decodeFirstFrame } from '@chorus/codecs/picture';
import { openParentChannel } from '@chorus/sandbox/child';
import { ALL_FORMATS, CustomSource, Input, type InputVideoTrack } from 'mediabunny';
import { toRgb } from './to-rgb.ts';
import type { FromChild, ToChild, VideoFacts } from './video-protocol.ts';

const POSTER_SIDE = 384;

/** Larger frames are not decoded. */
const MAX_FRAME_PIXELS = 40_000_000;

const CACHE_BYTES = 8_000_000;

/** Longer durations (over ten days) are errors in the file. */
const MAX_DURATION_S = 864_000;

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

async function work({ task, sizeBytes, ffmpeg }: Extract<ToChild, { type: 'begin' }>): Promise<FromChild> {
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
  const poster = track && (await posterOf(track, ffmpeg));
  return poster ? { type: 'poster', poster } : { type: 'unreadable' };
}

async function factsOf(input: Input, track: InputVideoTrack | null): Promise<VideoFacts> {
  // Trust the metadata if present, to avoid reading the whole file.
  const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
  const sane = Number.isFinite(seconds) && seconds > 0 && seconds < MAX_DURATION_S;
  return {
    width: track && (await track.getDisplayWidth()),
    height: track && (await track.getDisplayHeight()),
    duration_ms: sane ? Math.round(seconds * 1_000) : null,
  };
}

/** Creates a small upright WebP of the first frame. Null if it cannot be decoded. */
async function posterOf(track: InputVideoTrack, ffmpeg: string | null): Promise<Uint8Array | null> {
  if ((await track.getCodedWidth()) * (await track.getCodedHeight()) > MAX_FRAME_PIXELS) return null;
  const frame = await decodeFirstFrame(track, ffmpeg);
  if (frame === null) return null;
  const { width, height } = frame;
  const { default: sharp } = await import('sharp');
  return sharp(toRgb(frame), { raw: { width, height, channels: 3 } })
    .rotate(await track.getRotation())
    .resize(POSTER_SIDE, POSTER_SIDE, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
