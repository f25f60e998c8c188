import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SpeechFormat } from '@chorus/contract';
import type { AudioCodec, AudioSampleSource, Output, OutputFormat, Target } from 'mediabunny';
import { BYTES_PER_SAMPLE, bytesOf, SAMPLE_RATE } from '../pcm.ts';

export interface SpeechEncoder {
  /** Returns the bytes available after these samples, possibly none. */
  push(pcm: Uint8Array): Promise<Uint8Array>;
  /**
   * Returns the rest of the stream and a complete file, whose header may differ because its length is known.
   * Raw samples become a WAV file.
   */
  end(): Promise<{ rest: Uint8Array; file: Uint8Array }>;
  /** Frees the codec of a stream that does not end. Does nothing after `end`. */
  close(): Promise<void>;
}

export type EncodedFormat = Exclude<SpeechFormat, 'wav' | 'pcm'>;

type Library = typeof import('mediabunny');

interface Encoding {
  codec: AudioCodec;
  /** Bits per second. Absent for lossless formats. */
  bitrate?: number;
  /** Output for streaming, written strictly from start to end. */
  stream(library: Library): OutputFormat;
  /** Output for files, if their header contains facts that are only known at the end. */
  file?(library: Library): OutputFormat;
}

/** Audio per Ogg page, in seconds, since players wait for a whole page. */
const OGG_PAGE_S = 0.1;

/** Audio to encode between turns of the event loop, since the codec library drops packets that wait unread. */
const SAMPLE_BYTES = bytesOf(200);

const ENCODINGS: Readonly<Record<EncodedFormat, Encoding>> = {
  mp3: { codec: 'mp3', bitrate: 64_000, stream: ({ Mp3OutputFormat }) => new Mp3OutputFormat({ xingHeader: false }) },
  opus: {
    codec: 'opus',
    bitrate: 32_000,
    stream: ({ OggOutputFormat }) => new OggOutputFormat({ maximumPageDuration: OGG_PAGE_S }),
  },
  aac: { codec: 'aac', bitrate: 64_000, stream: ({ AdtsOutputFormat }) => new AdtsOutputFormat() },
  flac: {
    codec: 'flac',
    stream: ({ FlacOutputFormat }) => new FlacOutputFormat({ appendOnly: true }),
    file: ({ FlacOutputFormat }) => new FlacOutputFormat(),
  },
};

/** Encodes formats that need a codec. Loads containers and codecs on first use. */
export class ContainerEncoder implements SpeechEncoder {
  readonly #encoding: Encoding;
  readonly #given: Uint8Array[] = [];
  #made: Uint8Array[] = [];
  readonly #track: Promise<Track>;
  /** Samples that are kept for a file with another encoding than the stream. */
  readonly #pcm: Uint8Array[] = [];

  constructor(format: EncodedFormat) {
    this.#encoding = ENCODINGS[format];
    const made = new WritableStream({ write: (bytes: Uint8Array) => void this.#made.push(bytes.slice()) });
    this.#track = load().then((library) =>
      Track.open(library, this.#encoding, this.#encoding.stream(library), new library.AppendOnlyStreamTarget(made)),
    );
    this.#track.catch(() => undefined);
  }

  async push(pcm: Uint8Array): Promise<Uint8Array> {
    if (this.#encoding.file) this.#pcm.push(pcm);
    const track = await this.#track;
    await track.add(pcm);
    return this.#take();
  }

  async end(): Promise<{ rest: Uint8Array; file: Uint8Array }> {
    const track = await this.#track;
    await track.end();
    const rest = this.#take();
    return { rest, file: (await this.#file()) ?? Buffer.concat(this.#given) };
  }

  async close(): Promise<void> {
    const track = await this.#track.catch(() => null);
    await track?.cancel();
  }

  async #file(): Promise<Uint8Array | null> {
    if (!this.#encoding.file) return null;
    const library = await load();
    const target = new library.BufferTarget();
    const track = await Track.open(library, this.#encoding, this.#encoding.file(library), target);
    for (const pcm of this.#pcm) await track.add(pcm);
    await track.end();
    return target.buffer && new Uint8Array(target.buffer);
  }

  #take(): Uint8Array {
    const bytes = Buffer.concat(this.#made);
    this.#made = [];
    if (bytes.length > 0) this.#given.push(bytes);
    return bytes;
  }
}

async function load(): Promise<Library> {
  const [library, { registerSoundCodecs }] = await Promise.all([import('mediabunny'), import('@chorus/codecs/sound')]);
  registerSoundCodecs();
  return library;
}

class Track {
  readonly #library: Library;
  readonly #output: Output;
  readonly #source: AudioSampleSource;
  #samples = 0;

  private constructor(library: Library, output: Output, source: AudioSampleSource) {
    this.#library = library;
    this.#output = output;
    this.#source = source;
  }

  static async open(
    library: Library,
    { codec, bitrate }: Encoding,
    format: OutputFormat,
    target: Target,
  ): Promise<Track> {
    const output = new library.Output({ format, target });
    const source = new library.AudioSampleSource({ codec, ...(bitrate !== undefined && { bitrate }) });
    output.addAudioTrack(source);
    await output.start();
    return new Track(library, output, source);
  }

  async add(pcm: Uint8Array): Promise<void> {
    for (let at = 0; at < pcm.byteLength; at += SAMPLE_BYTES) {
      await this.#encode(pcm.subarray(at, at + SAMPLE_BYTES));
      await nextTurn();
    }
  }

  async #encode(pcm: Uint8Array): Promise<void> {
    const sample = new this.#library.AudioSample({
      // Copied, because the codec library ignores the offset of a partial buffer.
      data: new Uint8Array(pcm),
      format: 's16',
      numberOfChannels: 1,
      sampleRate: SAMPLE_RATE,
      timestamp: this.#samples / SAMPLE_RATE,
    });
    this.#samples += pcm.byteLength / BYTES_PER_SAMPLE;
    await this.#source.add(sample);
    sample.close();
  }

  async end(): Promise<void> {
    await this.#output.finalize();
  }

  /** Frees the codec, unless the output has ended. */
  async cancel(): Promise<void> {
    if (this.#output.state === 'started') await this.#output.cancel();
  }
}
