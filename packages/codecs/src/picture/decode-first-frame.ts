import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type EncodedPacket, EncodedPacketSink, type InputVideoTrack } from 'mediabunny';
import { loadLibav } from '../libav.ts';
import { toBytes } from '../to-bytes.ts';
import { decodeBaseline, isBaseline } from './decode-baseline.ts';
import { toUnits } from './h264-units.ts';

/** Pixels as planes (I420), or as RGB. */
export interface Frame {
  format: 'I420' | 'rgb24';
  width: number;
  height: number;
  data: Uint8Array;
}

const DECODERS: Record<string, string> = { vp8: 'libvpx', vp9: 'libvpx-vp9' };

const YUV420P = 0;
const FFMPEG_MS = 20_000;

/**
 * Decodes the first frame of a video: VP8, VP9, and baseline H.264 in this process, other H.264 with FFmpeg. Null: it
 * cannot be decoded.
 *
 * @param ffmpeg Path of the program. Null if there is none.
 */
export async function decodeFirstFrame(track: InputVideoTrack, ffmpeg: string | null): Promise<Frame | null> {
  const codec = (await track.getCodec()) ?? '';
  const name = DECODERS[codec];
  const first = await new EncodedPacketSink(track).getFirstPacket();
  if (first === null) return null;
  if (name !== undefined) return decodeHere(first, name);
  const config = codec === 'avc' ? await track.getDecoderConfig() : null;
  if (!config?.description) return null;
  const description = toBytes(config.description);
  if (isBaseline(description)) {
    const [frame] = await decodeBaseline(description, [first.data]);
    return frame ? { format: 'I420', ...frame } : null;
  }
  return ffmpeg === null ? null : decodeByProgram(track, toUnits(description, [first.data]), ffmpeg);
}

async function decodeHere({ data }: EncodedPacket, name: string): Promise<Frame | null> {
  const libav = await loadLibav('video');
  const [, context, packet, frame] = await libav.ff_init_decoder(name);
  try {
    const packets = [{ data, pts: 0, ptshi: 0 }];
    const [made] = await libav.ff_decode_multi(context, packet, frame, packets as never, {
      fin: true,
      copyoutFrame: 'video_packed',
    });
    if (!made?.width || !made.height || made.format !== YUV420P) return null;
    return { format: 'I420', width: made.width, height: made.height, data: made.data as Uint8Array };
  } finally {
    await libav.ff_free_decoder(context, packet, frame);
  }
}

async function decodeByProgram(track: InputVideoTrack, units: Uint8Array[], ffmpeg: string): Promise<Frame | null> {
  const [width, height] = await Promise.all([track.getCodedWidth(), track.getCodedHeight()]);
  const bare = Buffer.concat(units.flatMap((unit) => [START_CODE, unit]));
  const given = ['-v', 'error', '-protocol_whitelist', 'pipe', '-f', 'h264', '-i', 'pipe:0', '-frames:v', '1'];
  const wanted = ['-s', `${width}x${height}`, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'];
  const size = width * height * 3;
  const options = { timeout: FFMPEG_MS, maxBuffer: size + 1, encoding: 'buffer' } as const;
  const running = promisify(execFile)(ffmpeg, [...given, ...wanted], options);
  running.child.stdin?.on('error', () => {}); // FFmpeg may end before it has read all input
  running.child.stdin?.end(bare);
  const { stdout } = await running;
  return stdout.length === size ? { format: 'rgb24', width, height, data: stdout } : null;
}

const START_CODE = Uint8Array.of(0, 0, 0, 1);
