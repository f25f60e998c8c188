import { type AudioCodec, type AudioSample, CustomAudioEncoder, EncodedPacket } from 'mediabunny';
import { type LibAV, loadLibav } from '../libav.ts';
import { layoutOf, S16, S16_PLANAR } from './sample-formats.ts';

interface Encoding {
  name: string;
  format: typeof S16 | typeof S16_PLANAR;
  /** Returns the description that containers store, from libav's. */
  describe(extradata: Uint8Array): Uint8Array | null;
}

const FLAC_HEADER = Buffer.from('fLaC\x80\0\0\x22', 'latin1');

const ENCODINGS: Partial<Record<AudioCodec, Encoding>> = {
  mp3: { name: 'libmp3lame', format: S16_PLANAR, describe: () => null },
  opus: { name: 'libopus', format: S16, describe: (extradata) => extradata },
  flac: { name: 'flac', format: S16, describe: (extradata) => Buffer.concat([FLAC_HEADER, extradata]) },
};

interface Context {
  encoding: Encoding;
  libav: LibAV;
  context: number;
  frame: number;
  packet: number;
  /** Samples per frame and channel. */
  size: number;
}

/** Encodes MP3, Opus, and FLAC with FFmpeg's libraries. */
export class LibavEncoder extends CustomAudioEncoder {
  #open: Context | null = null;
  #pending: Int16Array[] = [];
  #pendingFrames = 0;
  #taken = 0;
  #startS: number | null = null;
  #made = 0;

  static override supports(codec: AudioCodec): boolean {
    return ENCODINGS[codec] !== undefined;
  }

  async init(): Promise<void> {
    const { sampleRate, numberOfChannels, bitrate } = this.config;
    const libav = await loadLibav('sound');
    const encoding = ENCODINGS[this.codec] as Encoding;
    const [, context, frame, packet, size] = await libav.ff_init_encoder(encoding.name, {
      ctx: {
        sample_rate: sampleRate,
        sample_fmt: encoding.format,
        channels: numberOfChannels,
        channel_layout: layoutOf(numberOfChannels),
        ...(bitrate !== undefined && { bit_rate: bitrate }),
      },
      time_base: [1, sampleRate],
    });
    this.#open = { encoding, libav, context, frame, packet, size };
  }

  async encode(sample: AudioSample): Promise<void> {
    this.#startS ??= sample.timestamp;
    const samples = new Int16Array(sample.numberOfFrames * sample.numberOfChannels);
    sample.copyTo(samples, { planeIndex: 0, format: 's16' });
    this.#pending.push(samples);
    this.#pendingFrames += sample.numberOfFrames;
    await this.#run(false);
  }

  flush(): Promise<void> {
    return this.#run(true);
  }

  async close(): Promise<void> {
    if (this.#open === null) return;
    const { libav, context, frame, packet } = this.#open;
    this.#open = null;
    await libav.ff_free_encoder(context, frame, packet);
  }

  async #run(isEnd: boolean): Promise<void> {
    const { encoding, libav, context, frame, packet, size } = this.#open as Context;
    const frames = this.#takeFrames(size, isEnd).map((samples) => this.#frameOf(samples, encoding.format));
    if (frames.length === 0 && !isEnd) return;
    const packets = await libav.ff_encode_multi(context, frame, packet, frames, isEnd);
    for (const { data, duration } of packets) {
      // FLAC ends with an empty packet, which contains the final header.
      if (data.length > 0) await this.#give(data, duration || size);
    }
  }

  /** Cuts complete frames from the pending samples, and at the end the rest. */
  #takeFrames(size: number, isEnd: boolean): Int16Array[] {
    const count = isEnd ? Math.ceil(this.#pendingFrames / size) : Math.floor(this.#pendingFrames / size);
    if (count === 0) return [];
    const channels = this.config.numberOfChannels;
    const all = Int16Array.from({ length: this.#pendingFrames * channels }, () => 0);
    let at = 0;
    for (const piece of this.#pending) {
      all.set(piece, at);
      at += piece.length;
    }
    const step = size * channels;
    const frames = Array.from({ length: count }, (_, index) => all.slice(index * step, (index + 1) * step));
    const rest = all.subarray(count * step);
    this.#pending = rest.length > 0 ? [rest] : [];
    this.#pendingFrames = rest.length / channels;
    return frames;
  }

  #frameOf(samples: Int16Array, format: Encoding['format']) {
    const { sampleRate, numberOfChannels: channels } = this.config;
    const count = samples.length / channels;
    const plane = (channel: number) => Int16Array.from({ length: count }, (_, at) => samples[at * channels + channel]!);
    const pts = this.#taken;
    this.#taken += count;
    return {
      data: format === S16 ? samples : Array.from({ length: channels }, (_, channel) => plane(channel)),
      format,
      sample_rate: sampleRate,
      channels,
      channel_layout: layoutOf(channels),
      nb_samples: count,
      pts,
      ptshi: 0,
    };
  }

  async #give(data: Uint8Array, frames: number): Promise<void> {
    const { sampleRate, numberOfChannels } = this.config;
    const timestamp = (this.#startS ?? 0) + this.#made / sampleRate;
    const isFirst = this.#made === 0;
    this.#made += frames;
    const packet = new EncodedPacket(data.slice(), 'key', timestamp, frames / sampleRate);
    if (!isFirst) return void this.onPacket(packet);
    const description = await this.#description();
    const codec = this.codec;
    this.onPacket(packet, {
      decoderConfig: { codec, sampleRate, numberOfChannels, ...(description && { description }) },
    });
  }

  async #description(): Promise<Uint8Array | null> {
    const { encoding, libav, context } = this.#open as Context;
    const extradata = await libav.AVCodecContext_extradata(context);
    if (extradata === 0) return encoding.describe(new Uint8Array(0));
    const size = await libav.AVCodecContext_extradata_size(context);
    return encoding.describe((await libav.copyout_u8(extradata, size)).slice());
  }
}
