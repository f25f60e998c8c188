import { registerSoundCodecs } from '@chorus/codecs/sound';
import { openParentChannel } from '@chorus/sandbox/child';
import {
  ADTS,
  type AudioSample,
  AudioSampleSink,
  CustomSource,
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

/** Excludes playlists, which name other files. MP3 and ADTS come last, because they have no clear beginning. */
const FORMATS = [WAVE, OGG, WEBM, MATROSKA, MP4, QTFF, FLAC, MP3, ADTS];

/** Read cache for the file. */
const CACHE_BYTES = 4_000_000;

const PIECE_SAMPLES = SAMPLE_RATE;

/** Rates outside are errors in the file. */
const RATES = { least: 4_000, most: 384_000 };
const MAX_CHANNELS = 32;

class UnusableSound extends Error {
  readonly problem: SoundProblem;
  constructor(problem: SoundProblem) {
    super(problem);
    this.problem = problem;
  }
}

registerSoundCodecs();

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
  if (!(await track.canDecode())) throw new UnusableSound(track.codec === 'vorbis' ? 'vorbis' : 'unreadable');
  const out = new PcmOut(bytesOf(longestMs));
  await decodeTrack(track, out);
  if (out.isEmpty) throw new UnusableSound('unreadable');
  out.end();
}

/** Outputs all audio that can be decoded. Truncated files are decoded as far as possible. */
async function decodeTrack(track: InputAudioTrack, out: PcmOut): Promise<void> {
  try {
    for await (const sample of new AudioSampleSink(track).samples()) {
      await out.add(sample);
      sample.close();
    }
  } catch (error) {
    if (error instanceof UnusableSound || out.isEmpty) throw error;
  }
}

/** Converts decoded audio to our rate, in mono. */
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
    const mono = monoOf(sample);
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

/** Returns the mean of all channels. */
function monoOf(sample: AudioSample): Float32Array {
  const { numberOfChannels: channels, numberOfFrames: frames } = sample;
  const mono = new Float32Array(frames);
  const plane = new Float32Array(frames);
  for (let planeIndex = 0; planeIndex < channels; planeIndex++) {
    sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
    for (let index = 0; index < frames; index++) mono[index]! += plane[index]! / channels;
  }
  return mono;
}
