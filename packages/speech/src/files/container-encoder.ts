import type { SpeechFormat } from '@chorus/contract';
import type { AudioCodec, AudioSampleSource, Output, OutputFormat, Target } from 'mediabunny';
import { BYTES_PER_SAMPLE, SAMPLE_RATE } from '../pcm.ts';
import type { SpeechEncoder } from './encoder-port.ts';

/** The formats that a codec makes. */
export type EncodedFormat = Exclude<SpeechFormat, 'wav' | 'pcm'>;

type Library = typeof import('mediabunny');

interface Encoding {
  codec: AudioCodec;
  /** Bits a second; absent: nothing is lost. */
  bitrate?: number;
  /** Written from its beginning to its end, for a stream. */
  stream(library: Library): OutputFormat;
  /** Where a file tells at its beginning what is known at its end alone. */
  file?(library: Library): OutputFormat;
}

/** A page of Ogg has so much sound: players of streams wait for a whole one. In seconds. */
const OGG_PAGE_S = 0.1;

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

/** Makes a format that needs a codec. What makes containers and codecs is loaded with the first. */
export class ContainerEncoder implements SpeechEncoder {
  readonly #encoding: Encoding;
  /** Given out, and made since. */
  readonly #given: Uint8Array[] = [];
  #made: Uint8Array[] = [];
  readonly #track: Promise<Track>;
  /** For a file that is made otherwise than the stream. */
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
  const [library] = await Promise.all([import('mediabunny'), import('@napi-rs/webcodecs/polyfill')]);
  return library;
}

/** One sound in a file that is being made. */
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
    const sample = new this.#library.AudioSample({
      // A copy: of a part of a buffer the codecs' library takes the buffer's beginning.
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
}
