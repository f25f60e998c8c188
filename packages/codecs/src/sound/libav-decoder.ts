import { type AudioCodec, AudioSample, type EncodedPacket } from 'mediabunny';
import { type LibAV, loadLibav } from '../libav.ts';
import { toBytes } from '../to-bytes.ts';
import { SAMPLE_FORMATS } from './sample-formats.ts';
import { TolerantDecoder } from './tolerant-decoder.ts';

type Frame = Awaited<ReturnType<LibAV['ff_decode_multi']>>[number];

const DECODERS: Partial<Record<AudioCodec, string>> = {
  mp3: 'mp3',
  opus: 'libopus',
  flac: 'flac',
};

/** Upper limit of the audio that decoders hold back. */
const MAX_DRIFT_S = 0.5;

const MICROSECONDS = 1_000_000;

/** Decodes MP3, Opus, and FLAC with FFmpeg's libraries. */
export class LibavDecoder extends TolerantDecoder {
  #open: { libav: LibAV; context: number; packet: number; frame: number } | null = null;
  /** Time of the next sample. Null: that of the next packet. */
  #atS: number | null = null;

  static override supports(codec: AudioCodec): boolean {
    return DECODERS[codec] !== undefined;
  }

  protected async open(): Promise<void> {
    const libav = await loadLibav('sound');
    const { sampleRate, numberOfChannels, description } = this.config;
    const [, context, packet, frame] = await libav.ff_init_decoder(DECODERS[this.codec] as string, {
      codecpar: {
        codec_type: 1,
        codec_id: 0,
        sample_rate: sampleRate,
        channels: numberOfChannels,
        ...(description && { extradata: extradataOf(this.codec, toBytes(description)) }),
      },
      time_base: [1, MICROSECONDS],
    });
    this.#open = { libav, context, packet, frame };
  }

  protected async decodePacket({ data, timestamp, duration }: EncodedPacket): Promise<void> {
    // Uses the packets' times after skipped packets.
    if (this.#atS === null || Math.abs(this.#atS - timestamp) > MAX_DRIFT_S) this.#atS = timestamp;
    const pts = Math.round(timestamp * MICROSECONDS);
    await this.#run([{ data, pts, ptshi: 0, duration: Math.round(duration * MICROSECONDS), durationhi: 0 }], false);
  }

  flush(): Promise<void> {
    return this.#run([], true);
  }

  async close(): Promise<void> {
    if (this.#open === null) return;
    const { libav, context, packet, frame } = this.#open;
    this.#open = null;
    await libav.ff_free_decoder(context, packet, frame);
  }

  async #run(packets: object[], isEnd: boolean): Promise<void> {
    if (this.#open === null) return;
    const { libav, context, packet, frame } = this.#open;
    const frames = await libav.ff_decode_multi(context, packet, frame, packets as never, isEnd);
    for (const one of frames) this.#give(one);
  }

  #give({ data, format = -1, sample_rate = 0, channels = 1, nb_samples = 0 }: Frame): void {
    const name = SAMPLE_FORMATS[format];
    if (!name || nb_samples === 0) return;
    const timestamp = this.#atS ?? 0;
    this.#atS = timestamp + nb_samples / sample_rate;
    const bytes = Array.isArray(data) ? Buffer.concat(data.map(toBytes)) : toBytes(data);
    this.onSample(
      new AudioSample({
        data: bytes.slice(),
        format: name,
        numberOfChannels: channels,
        sampleRate: sample_rate,
        timestamp,
      }),
    );
  }
}

/** FLAC's description begins with a marker and a header that libav does not expect. */
function extradataOf(codec: AudioCodec, description: Uint8Array): Uint8Array {
  return codec === 'flac' ? description.subarray(8, 42) : description;
}
