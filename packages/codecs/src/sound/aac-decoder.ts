import { createRequire } from 'node:module';
import { type AudioCodec, AudioSample, type EncodedPacket } from 'mediabunny';
import { toBytes } from '../to-bytes.ts';
import { TolerantDecoder } from './tolerant-decoder.ts';

/** Types for the parts of `aac` that are used, since it has none. */
interface Aac {
  config: object;
  bitstream: object;
  setCookie(cookie: object): void;
  readChunk(): Float32Array;
}
interface Aurora {
  Buffer: new (bytes: Uint8Array) => object;
  Stream: { fromBuffer(buffer: object): object };
  Bitstream: new (stream: object) => object;
}

const LC = 2;
/** HE-AAC, which codes the high frequencies separately. They are left out here. */
const SBR = 5;
const PS = 29;

let loaded: { aurora: Aurora; Decoder: new (demuxer: object, format: object) => Aac } | null = null;

function load() {
  if (loaded !== null) return loaded;
  const require = createRequire(import.meta.url);
  const { prototype } = require('aac/src/ics.js');
  // The package's noise generator soon returns only zeros, and then divides zero by zero.
  Object.defineProperty(prototype, 'randomState', { get: () => Math.random() - 0.5, set: () => {} });
  loaded = { aurora: require('av'), Decoder: require('aac') };
  return loaded;
}

/** Decodes AAC-LC, and the lower frequencies of HE-AAC. */
export class AacDecoder extends TolerantDecoder {
  #decoder: Aac | null = null;
  #channels = 0;
  #rate = 0;

  static override supports(codec: AudioCodec, { description }: AudioDecoderConfig): boolean {
    return codec === 'aac' && (description === undefined || readConfig(toBytes(description)) !== null);
  }

  protected open(): void {
    const { aurora, Decoder } = load();
    const { description, numberOfChannels, sampleRate } = this.config;
    const config = description === undefined ? null : readConfig(toBytes(description));
    this.#channels = config?.channels ?? numberOfChannels;
    this.#rate = config?.rate ?? sampleRate;
    this.#decoder = new Decoder({ on: () => {} }, {});
    this.#decoder.setCookie(new aurora.Buffer(cookieOf(this.#rate, this.#channels)));
  }

  protected decodePacket({ data, timestamp }: EncodedPacket): void {
    const { aurora } = load();
    const decoder = this.#decoder as Aac;
    decoder.bitstream = new aurora.Bitstream(aurora.Stream.fromBuffer(new aurora.Buffer(data)));
    const samples = decoder.readChunk();
    const shape = { format: 'f32', numberOfChannels: this.#channels, sampleRate: this.#rate } as const;
    this.onSample(new AudioSample({ data: samples, ...shape, timestamp }));
  }

  flush(): void {}

  close(): void {
    this.#decoder = null;
  }
}

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/** Reads the AudioSpecificConfig; null: a kind that cannot be decoded. */
function readConfig(bytes: Uint8Array): { rate: number; channels: number } | null {
  let bits = '';
  for (const byte of bytes.subarray(0, 16)) bits += byte.toString(2).padStart(8, '0');
  let at = 0;
  const read = (count: number) => {
    at += count;
    return Number.parseInt(bits.slice(at - count, at), 2);
  };
  const type = read(5);
  if (type !== LC && type !== SBR && type !== PS) return null;
  const index = read(4);
  const rate = index === 15 ? read(24) : RATES[index];
  const channels = read(4);
  return rate === undefined || !RATES.includes(rate) || !(channels > 0) || channels > 7
    ? null
    : { rate, channels: channels === 7 ? 8 : channels };
}

/** Returns the AudioSpecificConfig of AAC-LC. */
function cookieOf(rate: number, channels: number): Uint8Array {
  const index = RATES.indexOf(rate);
  return Uint8Array.of((LC << 3) | (index >> 1), ((index & 1) << 7) | ((channels === 8 ? 7 : channels) << 3));
}
