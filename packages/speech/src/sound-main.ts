import '@napi-rs/webcodecs/polyfill';
import {
  ADTS,
  type AudioSample,
  AudioSampleSink,
  CustomSource,
  type EncodedPacket,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputAudioTrack,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny';
import type { FromSoundChild, SoundProblem, ToSoundChild } from './files/sound-protocol.ts';
import { bytesOf, fromFloats, SAMPLE_RATE } from './pcm.ts';
import { Resampler } from './resampler.ts';

/** No playlists: those name other files. */
const FORMATS = [WAVE, MP3, OGG, WEBM, MATROSKA, MP4, QTFF, FLAC, ADTS];

/** How much of the file is kept in memory. */
const CACHE_BYTES = 4_000_000;

/** Sound is given in pieces of about so many samples. */
const PIECE_SAMPLES = SAMPLE_RATE;

/** What is outside of these is a mistake of the file. */
const RATES = { least: 4_000, most: 384_000 };
const MAX_CHANNELS = 32;

/** So many damaged packets are left out; what follows is not read. */
const MOST_DAMAGED = 20;

class Unusable extends Error {
  readonly problem: SoundProblem;
  constructor(problem: SoundProblem) {
    super(problem);
    this.problem = problem;
  }
}

const answers = new Map<number, (bytes: Uint8Array) => void>();

/** A process that decodes one sound, whose bytes it asks its parent for, and ends. */
process.on('message', (message: ToSoundChild) => {
  if (message.type === 'bytes') {
    answers.get(message.id)?.(message.bytes);
    answers.delete(message.id);
    return;
  }
  decode(message).then(
    () => finish({ type: 'end' }),
    (error) => finish({ type: 'failed', problem: error instanceof Unusable ? error.problem : 'unreadable' }),
  );
});
process.on('disconnect', () => process.exit(0));

function finish(message: FromSoundChild): void {
  process.send?.(message, () => process.exit(0));
}

async function decode({ sizeBytes, longestMs }: Extract<ToSoundChild, { type: 'begin' }>): Promise<void> {
  let reads = 0;
  const read = (start: number, end: number) =>
    new Promise<Uint8Array>((resolve) => {
      const id = ++reads;
      answers.set(id, resolve);
      process.send?.({ type: 'read', id, start, end } satisfies FromSoundChild);
    });
  const source = new CustomSource({ getSize: () => sizeBytes, read, maxCacheSize: CACHE_BYTES });
  const track = await new Input({ source, formats: FORMATS }).getPrimaryAudioTrack();
  if (track === null) throw new Unusable('no sound');
  if (!(await track.canDecode())) throw new Unusable('unreadable');
  const out = new PcmOut(bytesOf(longestMs));
  await decodeTrack(track, out);
  out.end();
}

/**
 * Gives all sound that can be decoded: a file that is cut off gives what it holds, and a damaged packet is left out.
 *
 * The library decodes ahead, and gives up what it decoded and did not hand over when one packet fails. So the packets
 * that follow what was given are decoded one by one up to the one that fails, and the reading goes on behind that.
 */
async function decodeTrack(track: InputAudioTrack, out: PcmOut): Promise<void> {
  const sink = new AudioSampleSink(track);
  let fromS = Number.NEGATIVE_INFINITY;
  const add = async (sample: AudioSample) => {
    fromS = sample.timestamp + sample.duration;
    await out.add(sample);
    sample.close();
  };
  for (let damaged = 0; ; damaged++) {
    try {
      for await (const sample of sink.samples(fromS)) await add(sample);
      return;
    } catch (error) {
      if (error instanceof Unusable) throw error;
      const nextS = damaged < MOST_DAMAGED ? await decodeOneByOne(track, fromS, add) : null;
      if (nextS !== null) fromS = nextS;
      else if (out.isEmpty) throw error;
      else return;
    }
  }
}

/** Decodes packets from `fromS` on up to one that fails; the seconds at which the next begins, null where none follows. */
async function decodeOneByOne(
  track: InputAudioTrack,
  fromS: number,
  add: (sample: AudioSample) => Promise<void>,
): Promise<number | null> {
  const sink = new AudioSampleSink(track);
  let hasFailed = false;
  for await (const packet of readablePackets(track)) {
    // A packet's time may be rounded: half of it is tolerance.
    if (packet.timestamp + packet.duration / 2 < fromS) continue;
    if (hasFailed) return packet.timestamp;
    const sample = await sink.getSample(packet.timestamp).catch(() => null);
    if (sample === null) hasFailed = true;
    else await add(sample);
  }
  return null;
}

/** All packets up to one that can't be read. */
async function* readablePackets(track: InputAudioTrack): AsyncGenerator<EncodedPacket> {
  const packets = new EncodedPacketSink(track);
  const orNone = (packet: Promise<EncodedPacket | null>) => packet.catch(() => null);
  for (let next = await orNone(packets.getFirstPacket()); next !== null; ) {
    yield next;
    next = await orNone(packets.getNextPacket(next));
  }
}

/** Makes our samples of what is decoded: one channel, at our rate. */
class PcmOut {
  #resampler: Resampler | null = null;
  #rate = 0;
  #pieces: Float32Array[] = [];
  #samples = 0;
  #leftBytes: number;

  constructor(maxBytes: number) {
    this.#leftBytes = maxBytes;
  }

  /** Nothing was decoded yet. */
  get isEmpty(): boolean {
    return this.#rate === 0;
  }

  async add(sample: AudioSample): Promise<void> {
    const { sampleRate, numberOfChannels } = sample;
    if (sampleRate < RATES.least || sampleRate > RATES.most || numberOfChannels > MAX_CHANNELS)
      throw new Unusable('unreadable');
    if (sampleRate !== this.#rate) {
      if (this.#resampler !== null) this.#take(this.#resampler.end());
      this.#resampler = sampleRate === SAMPLE_RATE ? null : new Resampler(sampleRate, SAMPLE_RATE);
      this.#rate = sampleRate;
    }
    const mono = await monoOf(sample);
    this.#take(this.#resampler === null ? mono : this.#resampler.push(mono));
  }

  end(): void {
    if (this.#resampler !== null) this.#take(this.#resampler.end());
    this.#send();
  }

  #take(samples: Float32Array): void {
    this.#pieces.push(samples);
    this.#samples += samples.length;
    if (this.#samples >= PIECE_SAMPLES) this.#send();
  }

  #send(): void {
    if (this.#samples === 0) return;
    const all = new Float32Array(this.#samples);
    let at = 0;
    for (const piece of this.#pieces.splice(0)) {
      all.set(piece, at);
      at += piece.length;
    }
    this.#samples = 0;
    const pcm = fromFloats(all);
    this.#leftBytes -= pcm.byteLength;
    if (this.#leftBytes < 0) throw new Unusable('too long');
    process.send?.({ type: 'pcm', pcm } satisfies FromSoundChild);
  }
}

/** How samples of each kind lie in bytes, which of their values is silence, and how far the loudest are from that. */
const KINDS = {
  u8: { Values: Uint8Array, silence: 128, loudest: 128 },
  s16: { Values: Int16Array, silence: 0, loudest: 32_768 },
  s32: { Values: Int32Array, silence: 0, loudest: 2_147_483_648 },
  f32: { Values: Float32Array, silence: 0, loudest: 1 },
} as const;

/** The mean of all channels. The samples are taken as they are: the codecs' library ends the process when it is to make floating-point ones of those of FLAC. */
async function monoOf(sample: AudioSample): Promise<Float32Array> {
  const { numberOfChannels: channels, numberOfFrames: frames } = sample;
  const data = sample.toAudioData();
  const format = data.format ?? 'f32';
  const isPlanar = format.endsWith('-planar');
  const { Values, silence, loudest } = KINDS[format.replace('-planar', '') as keyof typeof KINDS];
  const scale = 1 / (loudest * channels);
  const mono = new Float32Array(frames);
  for (let planeIndex = 0; planeIndex < (isPlanar ? channels : 1); planeIndex++) {
    const options = { planeIndex, format };
    const bytes = new ArrayBuffer(data.allocationSize(options));
    await data.copyTo(bytes, options);
    const values = new Values(bytes);
    const step = isPlanar ? 1 : channels;
    for (let index = 0; index < frames; index++) {
      let sum = 0;
      for (let channel = 0; channel < step; channel++) sum += (values[index * step + channel] as number) - silence;
      mono[index]! += sum * scale;
    }
  }
  data.close();
  return mono;
}
