import '@napi-rs/webcodecs/polyfill';
import { openParentChannel } from '@chorus/sandbox/child';
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
import { type FromSoundChild, MAX_UNSTORED, type SoundProblem, type ToSoundChild } from './files/sound-protocol.ts';
import { bytesOf, fromFloats, SAMPLE_RATE } from './pcm.ts';
import { Resampler } from './resampler.ts';

/** Playlists are excluded: they name other files. */
const FORMATS = [WAVE, MP3, OGG, WEBM, MATROSKA, MP4, QTFF, FLAC, ADTS];

/** Read cache for the file. */
const CACHE_BYTES = 4_000_000;

const PIECE_SAMPLES = SAMPLE_RATE;

/** Rates outside are errors in the file. */
const RATES = { least: 4_000, most: 384_000 };
const MAX_CHANNELS = 32;

/** Damaged packets to skip before giving up. */
const MAX_DAMAGED_PACKETS = 20;

class UnusableSound extends Error {
  readonly problem: SoundProblem;
  constructor(problem: SoundProblem) {
    super(problem);
    this.problem = problem;
  }
}

const answers = new Map<number, (bytes: Uint8Array) => void>();

/** Counts pieces that the parent has not stored yet. */
const unstored = {
  count: 0,
  wake: () => {},
  stored(): void {
    this.count -= 1;
    this.wake();
  },
  /** Waits until another piece may be sent. */
  async room(): Promise<void> {
    while (this.count >= MAX_UNSTORED)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
  },
};

/** Decodes one file, with bytes requested from the parent process, and exits. */
const parent = openParentChannel();
parent.on('message', (request) => {
  const message = request as ToSoundChild;
  if (message.type === 'bytes') {
    answers.get(message.id)?.(message.bytes);
    answers.delete(message.id);
    return;
  }
  if (message.type === 'stored') return unstored.stored();
  decode(message).then(
    () => finish({ type: 'end' }),
    (error) => finish({ type: 'failed', problem: error instanceof UnusableSound ? error.problem : 'unreadable' }),
  );
});
parent.on('close', () => process.exit(0));

function finish(message: FromSoundChild): void {
  parent.send(message, () => process.exit(0));
}

async function decode({ sizeBytes, longestMs }: Extract<ToSoundChild, { type: 'begin' }>): Promise<void> {
  let reads = 0;
  const read = (start: number, end: number) =>
    new Promise<Uint8Array>((resolve) => {
      const id = ++reads;
      answers.set(id, resolve);
      parent.send({ type: 'read', id, start, end } satisfies FromSoundChild);
    });
  const source = new CustomSource({ getSize: () => sizeBytes, read, maxCacheSize: CACHE_BYTES });
  const track = await new Input({ source, formats: FORMATS }).getPrimaryAudioTrack();
  if (track === null) throw new UnusableSound('no sound');
  if (!(await track.canDecode())) throw new UnusableSound('unreadable');
  const out = new PcmOut(bytesOf(longestMs));
  await decodeTrack(track, out).catch((error) => {
    // The library claims to decode it.
    throw track.codec === 'vorbis' && out.isEmpty ? new UnusableSound('vorbis') : error;
  });
  out.end();
}

/**
 * Outputs all sound that can be decoded, skips damaged packets, and accepts truncated files.
 *
 * The library decodes ahead and drops pending output when a packet fails. The packets after the last output are
 * therefore decoded one by one up to the failing one, and reading continues after it.
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
      if (error instanceof UnusableSound) throw error;
      const nextS = damaged < MAX_DAMAGED_PACKETS ? await decodeOneByOne(track, fromS, add) : null;
      if (nextS !== null) fromS = nextS;
      else if (out.isEmpty) throw error;
      else return;
    }
  }
}

/** Decodes packets from `fromS` up to a failing one; returns the time of the next one, or null at the end. */
async function decodeOneByOne(
  track: InputAudioTrack,
  fromS: number,
  add: (sample: AudioSample) => Promise<void>,
): Promise<number | null> {
  const sink = new AudioSampleSink(track);
  let hasFailed = false;
  for await (const packet of readablePackets(track)) {
    // Timestamps may be rounded, so half a packet is tolerated.
    if (packet.timestamp + packet.duration / 2 < fromS) continue;
    if (hasFailed) return packet.timestamp;
    const sample = await sink.getSample(packet.timestamp).catch(() => null);
    if (sample === null) hasFailed = true;
    else await add(sample);
  }
  return null;
}

/** Yields packets up to an unreadable one. */
async function* readablePackets(track: InputAudioTrack): AsyncGenerator<EncodedPacket> {
  const packets = new EncodedPacketSink(track);
  const orNone = (packet: Promise<EncodedPacket | null>) => packet.catch(() => null);
  for (let next = await orNone(packets.getFirstPacket()); next !== null; ) {
    yield next;
    next = await orNone(packets.getNextPacket(next));
  }
}

/** Converts decoded sound to our rate, in mono. */
class PcmOut {
  #resampler: Resampler | null = null;
  #rate = 0;
  #pieces: Float32Array[] = [];
  #samples = 0;
  #leftBytes: number;

  constructor(maxBytes: number) {
    this.#leftBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#rate === 0;
  }

  async add(sample: AudioSample): Promise<void> {
    const { sampleRate, numberOfChannels } = sample;
    if (sampleRate < RATES.least || sampleRate > RATES.most || numberOfChannels > MAX_CHANNELS)
      throw new UnusableSound('unreadable');
    if (sampleRate !== this.#rate) {
      if (this.#resampler !== null) this.#take(this.#resampler.end());
      this.#resampler = sampleRate === SAMPLE_RATE ? null : new Resampler(sampleRate, SAMPLE_RATE);
      this.#rate = sampleRate;
    }
    await unstored.room();
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
    if (this.#leftBytes < 0) throw new UnusableSound('too long');
    unstored.count += 1;
    parent.send({ type: 'pcm', pcm } satisfies FromSoundChild);
  }
}

/** Layout of each sample type, with its silence value and largest amplitude. */
const KINDS = {
  u8: { Values: Uint8Array, silence: 128, loudest: 128 },
  s16: { Values: Int16Array, silence: 0, loudest: 32_768 },
  s32: { Values: Int32Array, silence: 0, loudest: 2_147_483_648 },
  f32: { Values: Float32Array, silence: 0, loudest: 1 },
} as const;

/**
 * Returns the mean of all channels. Converts samples here, because the codec library crashes when it converts
 * FLAC to floats.
 */
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
