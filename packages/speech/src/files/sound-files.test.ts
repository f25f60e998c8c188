import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { registerSoundCodecs } from '@chorus/codecs/sound';
import { SPEECH_FORMATS, SPEECH_TYPES, type SpeechFormat } from '@chorus/contract';
import { detectType } from '@chorus/media';
import { CLIP_MP4, fakeVoice, temporaryFolder } from '@chorus/testing';
import {
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from 'mediabunny';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf, durationMs, SAMPLE_RATE, toFloats } from '../pcm.ts';
import { SoundDecoder } from './sound-decoder.ts';
import { createSpeechEncoder } from './speech-encoder.ts';
import { wavHeader } from './wav.ts';

const voice = fakeVoice(1.5);
const decoder = new SoundDecoder();
const { signal } = new AbortController();

beforeAll(() => decoder.prepare());
afterAll(() => decoder.close());

const decode = (file: Uint8Array, longestMs = 60_000, stop = signal) => {
  const read = async (start: number, end: number) => file.subarray(start, end);
  return decoder.decode({ sizeBytes: file.length, read }, { owner: 'personal:a', longestMs, signal: stop });
};

/** Returns the similarity of two sounds, 0 to 1, with a lag of up to 100 ms. */
function likeness(made: Uint8Array, wanted: Uint8Array): number {
  const [one, other] = [toFloats(made), toFloats(wanted)];
  const [from, to] = [SAMPLE_RATE / 2, SAMPLE_RATE];
  let best = 0;
  for (let lag = -100; lag < 2_400; lag++) {
    let [product, first, second] = [0, 0, 0];
    for (let index = from; index < to; index += 8) {
      const [x, y] = [one[index + lag] ?? 0, other[index] as number];
      product += x * y;
      first += x * x;
      second += y * y;
    }
    best = Math.max(best, product / Math.sqrt(first * second || 1));
  }
  return best;
}

async function encode(format: SpeechFormat, sound = voice) {
  const encoder = createSpeechEncoder(format);
  const stream: Uint8Array[] = [];
  // Parts of a buffer with uneven lengths.
  for (let at = 0; at < sound.length; at += 4_802) stream.push(await encoder.push(sound.subarray(at, at + 4_802)));
  const { rest, file } = await encoder.end();
  return { stream: Buffer.concat([...stream, rest]), file };
}

test.each(SPEECH_FORMATS)('encodes speech as %s, for streams and files', async (format) => {
  const { stream, file } = await encode(format);
  expect((await detectType(file, true)).mime_type).toBe(SPEECH_TYPES[format].file);
  const heard = await decode(file);
  expect(durationMs(heard)).toBeGreaterThanOrEqual(1_500);
  expect(durationMs(heard)).toBeLessThan(1_600);
  expect(likeness(heard, voice)).toBeGreaterThan(format === 'opus' ? 0.9 : 0.97);
  if (format === 'pcm') expect(stream.equals(voice)).toBe(true);
  else if (format === 'flac') expect(Buffer.compare(await decode(stream), heard) === 0).toBe(true);
  else expect(stream.subarray(44).equals(file.subarray(44))).toBe(true);
});

test('encodes long audio that arrives at once completely', async () => {
  const encoder = createSpeechEncoder('mp3');
  const made = await encoder.push(fakeVoice(15));
  const { rest, file } = await encoder.end();
  expect(Math.abs(durationMs(await decode(file)) - 15_000)).toBeLessThan(100);
  // Most of it is ready before the end.
  expect(made.length).toBeGreaterThan(rest.length * 5);
});

test.each([
  ['WebM', 'opus', () => new WebMOutputFormat()],
  ['M4A', 'aac', () => new Mp4OutputFormat()],
] as const)('decodes %s from a browser in stereo at its sample rate', async (_name, codec, format) => {
  registerSoundCodecs();
  const target = new BufferTarget();
  const output = new Output({ format: format(), target });
  const source = new AudioSampleSource({ codec, bitrate: 96_000 });
  output.addAudioTrack(source);
  await output.start();
  const mono = toFloats(voice);
  // At 48 kHz, with equal channels.
  const stereo = Float32Array.from({ length: mono.length * 4 }, (_, index) => mono[Math.floor(index / 4)] as number);
  const sample = new AudioSample({
    data: stereo,
    format: 'f32',
    numberOfChannels: 2,
    sampleRate: 48_000,
    timestamp: 0,
  });
  await source.add(sample);
  sample.close();
  await output.finalize();
  const heard = await decode(new Uint8Array(target.buffer as ArrayBuffer));
  expect(Math.abs(durationMs(heard) - 1_500)).toBeLessThan(100);
  expect(likeness(heard, voice)).toBeGreaterThan(0.9);
});

test('decodes streams without an end and truncated files as far as they go', async () => {
  const endless = Buffer.concat([wavHeader(null), voice]);
  expect(Buffer.compare(await decode(endless), voice)).toBe(0);
  const parts = await Promise.all(
    (['wav', 'mp3', 'opus', 'flac'] as const).map(async (format) => {
      const { file } = await encode(format);
      return decode(file.subarray(0, file.length * 0.6));
    }),
  );
  for (const part of parts) {
    expect(durationMs(part)).toBeGreaterThan(700);
    expect(durationMs(part)).toBeLessThan(1_200);
  }
});

test('skips a damaged part and decodes what follows', async () => {
  const { file } = await encode('flac', fakeVoice(5));
  file.fill(0, Math.floor(file.length * 0.6), Math.floor(file.length * 0.6) + 300);
  expect(Math.abs(durationMs(await decode(file)) - 4_900)).toBeLessThan(20);
});

test('mixes many channels at a high rate', async () => {
  const [channels, rate] = [8, 192_000];
  const mono = toFloats(voice);
  const samples = Float32Array.from({ length: mono.length * 8 * channels }, (_, index) => {
    const at = Math.floor(index / 8 / channels);
    // Half of the channels have the sound, and the others silence.
    return index % channels < channels / 2 ? (mono[at] as number) : 0;
  });
  const header = Buffer.from(wavHeader(samples.byteLength));
  header.writeUInt16LE(3, 20); // floating-point numbers
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 4, 28);
  header.writeUInt16LE(channels * 4, 32);
  header.writeUInt16LE(32, 34);
  const heard = await decode(Buffer.concat([header, Buffer.from(samples.buffer)]));
  expect(Math.abs(durationMs(heard) - 1_500)).toBeLessThan(10);
  expect(likeness(heard, voice)).toBeGreaterThan(0.9);
});

const wav = (change: (header: Buffer) => void) => {
  const header = Buffer.from(wavHeader(voice.length));
  change(header);
  return Buffer.concat([header, voice]);
};

/** Deterministic: some random bytes begin like an audio file. */
const noise = (outputLength: number) => createHash('shake256', { outputLength }).update('noise').digest();

test.each<[string, () => Uint8Array | Promise<Uint8Array>, RegExp]>([
  ['noise', () => noise(50_000), /cannot be read/],
  ['nothing', () => new Uint8Array(0), /cannot be read/],
  ['a video without sound', () => CLIP_MP4, /no audio/],
  [
    'noise claiming to be MP3',
    () => Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), noise(20_000)]),
    /cannot be read|no audio/,
  ],
  [
    'a playlist of other files',
    () => Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n'),
    /cannot be read/,
  ],
  ['a thousand channels', () => wav((header) => header.writeUInt16LE(1_000, 22)), /cannot be read/],
  ['a rate of one', () => wav((header) => header.writeUInt32LE(1, 24)), /cannot be read/],
  ['more than allowed', () => Buffer.concat([wavHeader(null), new Uint8Array(bytesOf(5_000))]), /longer than 4 s/],
])('refuses %s', async (_name, file, message) => {
  await expect(decode(await file(), 4_000)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(message),
  });
});

test.each([
  ['short', 1_500],
  ['of unknown length', null],
])('decodes a file that is %s into a file, up to a limit', async (_name, durationMs) => {
  const folder = await temporaryFolder('chs-');
  const { file } = await encode('flac');
  const source = { sizeBytes: file.length, read: async (start: number, end: number) => file.subarray(start, end) };
  const options = { owner: 'personal:a', longestMs: 60_000, signal };
  try {
    await decoder.decodeTo(join(folder, 'pcm'), source, durationMs, options);
    expect(Buffer.compare(await readFile(join(folder, 'pcm')), await decode(file))).toBe(0);
    const limited = decoder.decodeTo(join(folder, 'other'), source, durationMs, { ...options, longestMs: 1_000 });
    await expect(limited).rejects.toThrow(/longer than 1 s/);
    await expect(decoder.decodeTo(join(folder, 'pcm'), source, durationMs, options)).rejects.toThrow(/EEXIST/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('ends on errors of the source and on abort', async () => {
  const broken = { sizeBytes: 1_000, read: async () => Promise.reject(new Error('away')) };
  await expect(decoder.decode(broken, { owner: 'personal:a', longestMs: 1_000, signal })).rejects.toThrow('away');
  const silent = { sizeBytes: 1_000, read: () => new Promise<Uint8Array>(() => undefined) };
  const stop = new AbortController();
  const decoding = decoder.decode(silent, { owner: 'personal:a', longestMs: 1_000, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(decoding).rejects.toThrow('enough');
});

test('names the codec that cannot be decoded', async () => {
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const source = new EncodedAudioPacketSource('vorbis');
  output.addAudioTrack(source);
  await output.start();
  const decoderConfig = {
    codec: 'vorbis',
    sampleRate: 44_100,
    numberOfChannels: 1,
    description: new Uint8Array(90).fill(2),
  };
  await source.add(new EncodedPacket(new Uint8Array(60), 'key', 0, 0.5), { decoderConfig });
  await output.finalize();
  const file = new Uint8Array(output.target.buffer!);
  await expect(decode(file)).rejects.toThrow('Vorbis cannot be decoded. Convert it to Opus');
});
