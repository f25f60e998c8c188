import { randomUUID } from 'node:crypto';
import h264 from 'h264-mp4-encoder';
import {
  BufferSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';

export interface H264Shape {
  /** Even, like `height`. */
  width: number;
  height: number;
  fps: number;
  bitsPerS: number;
  keyFrameEveryS: number;
}

type Encoder = Awaited<ReturnType<typeof h264.createH264MP4Encoder>>;

/** Colors of the planes, for players. */
const COLORS = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

/** The encoder's fastest setting. Others halve the speed to save a tenth of the bits. */
const SPEED = 10;

const MAX_KEY_FRAME_EVERY = 250;

/** Encodes H.264 (baseline profile) in memory. */
export class H264Writer {
  readonly #encoder: Encoder;
  readonly #shape: H264Shape;

  private constructor(encoder: Encoder, shape: H264Shape) {
    this.#encoder = encoder;
    this.#shape = shape;
  }

  static async open(shape: H264Shape): Promise<H264Writer> {
    const encoder = await h264.createH264MP4Encoder();
    const { width, height, fps, bitsPerS, keyFrameEveryS } = shape;
    Object.assign(encoder, {
      outputFilename: `${randomUUID()}.mp4`,
      width,
      height,
      frameRate: fps,
      kbps: Math.round(bitsPerS / 1_000),
      speed: SPEED,
      groupOfPictures: Math.min(MAX_KEY_FRAME_EVERY, Math.max(1, Math.round(fps * keyFrameEveryS))),
    });
    encoder.initialize();
    return new H264Writer(encoder, shape);
  }

  /** @param planes brightness, and color at half size (I420, BT.709, limited range) */
  add(planes: Uint8Array): void {
    this.#encoder.addFrameYuv(planes);
  }

  /** Writes an MP4 that can start to play before it is complete, and frees the encoder. */
  async writeTo(path: string): Promise<void> {
    const encoder = this.#encoder;
    encoder.finalize();
    const made = encoder.FS.readFile(encoder.outputFilename);
    encoder.FS.unlink(encoder.outputFilename);
    encoder.delete();
    const track = await new Input({ source: new BufferSource(made), formats: [MP4] }).getPrimaryVideoTrack();
    const config = await track?.getDecoderConfig();
    if (!track || !config) throw new Error('the encoder made no video');
    const output = new Output({
      format: new Mp4OutputFormat({ fastStart: 'reserve' }),
      target: new FilePathTarget(path),
    });
    const source = new EncodedVideoPacketSource('avc');
    const packets = new EncodedPacketSink(track);
    const { packetCount } = await track.computePacketStats();
    output.addVideoTrack(source, { frameRate: this.#shape.fps, maximumPacketCount: packetCount });
    await output.start();
    const meta = { decoderConfig: { ...config, colorSpace: COLORS } };
    for (let packet = await packets.getFirstPacket(); packet; packet = await packets.getNextPacket(packet))
      await source.add(packet, meta);
    await output.finalize();
  }
}
