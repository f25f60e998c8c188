import type { SpeechOptions, TranscriptionOptions, Voice } from '@chorus/contract';
import { ChorusError } from '@chorus/contract/errors';
import { PCM16, SPEECH_RATE } from '@chorus/contract/names';
import type { Logger } from '@chorus/runtime/log';
import { type EngineLimits, EngineProcess, type Urgency } from '../engine/engine-process.ts';
import { type CallOptions, unpriced } from '../engine-call.ts';
import { WeightStore } from '../weights/weight-store.ts';
import { doubtLanguage, type HeardSpeech } from './language-doubt.ts';
import { EmbeddedLiveTranscription, type Transcript } from './live-transcription.ts';
import { isNoisy, loudnessOf, PAUSE_SHARE, speechLevel } from './loudness.ts';
import { splitAtPauses } from './split-at-pauses.ts';
import { FLITE_VOICES, fliteVoice, KOKORO_VOICES, kokoroVoice } from './voices.ts';

/** Messages of the speech engines. Sounds are pcm16 at 24 kHz. */

export interface SpeechToTranscribe {
  /** At most as long as the model can read at once. */
  pcm16: Uint8Array;
}

export interface TranscribedSpeech {
  text: string;
  /** Mean log probability of the words. */
  confidence: number;
}

export interface TextToSpeak {
  /** Empty: only prepares the voice. */
  text: string;
  voice: string;
  /** 1 is normal. */
  speed: number;
}

export interface SpokenPhrase {
  pcm16: Uint8Array;
}

const MOONSHINE = new URL('./moonshine-main.ts', import.meta.url);
const KOKORO = new URL('./kokoro-main.ts', import.meta.url);
const FLITE = new URL('./flite-main.ts', import.meta.url);

const LIMITS: EngineLimits = { idleMs: 300_000, maxWaiting: 64 };

const MAX_CHARACTERS = 20_000;

/** Speech in another language is given up after this time. */
const GIVE_UP_S = 20;

/** Loudness of recordings without a sound. */
const DIGITAL_SILENCE = 0.0003;

const SPEEDS = { min: 0.5, max: 2 };
const SPEECH_OPTIONS: SpeechOptions = { instructions: false, speed: SPEEDS };
const TRANSCRIPTION_OPTIONS: TranscriptionOptions = {
  languages: ['en'],
  prompt: false,
  temperature: false,
  timestamps: ['segment'],
  translates: false,
};

interface SpeechCall {
  model: string;
  text: string;
  voice?: string;
  speed?: number;
}

interface TranscriptionCall {
  model: string;
  audio: Uint8Array;
  /** Must be `audio/pcm`. */
  mediaType: string;
  /** Declared by the caller, and not questioned then. */
  language?: string;
  onSegment?(segment: Transcript['segments'][number]): void;
}

type Transcriber = EngineProcess<SpeechToTranscribe, TranscribedSpeech>;

interface Speaker {
  engine: EngineProcess<TextToSpeak, SpokenPhrase>;
  voices: Voice[];
  voiceOf(name: string | undefined): string | null;
}

/** Speaks and transcribes English, each model in a child process that starts on first use. */
export class EmbeddedSpeech {
  readonly #transcribers: Map<string, Transcriber>;
  readonly #speakers: Map<string, Speaker>;
  readonly #weights: WeightStore;

  /** @param modelsFolder Folder for weights that are fetched on first use. Null: nothing is fetched. */
  constructor(log: Logger, modelsFolder: string | null = null) {
    this.#weights = new WeightStore(modelsFolder, log);
    const folder = modelsFolder === null ? [] : [modelsFolder];
    this.#transcribers = new Map([
      ['moonshine', new EngineProcess(MOONSHINE, ['base', ...folder], LIMITS, log)],
      ['moonshine-tiny', new EngineProcess(MOONSHINE, ['tiny', ...folder], LIMITS, log)],
    ]);
    this.#speakers = new Map([
      [
        'kokoro',
        { engine: new EngineProcess(KOKORO, folder, LIMITS, log), voices: KOKORO_VOICES, voiceOf: kokoroVoice },
      ],
      ['flite', { engine: new EngineProcess(FLITE, [], LIMITS, log), voices: FLITE_VOICES, voiceOf: fliteVoice }],
    ]);
  }

  transcriptionModels(): { id: string; transcriptionOptions: TranscriptionOptions }[] {
    return [...this.#transcribers.keys()].map((id) => ({ id, transcriptionOptions: TRANSCRIPTION_OPTIONS }));
  }

  speechModels(): { id: string; speechOptions: SpeechOptions }[] {
    return [...this.#speakers.keys()].map((id) => ({ id, speechOptions: SPEECH_OPTIONS }));
  }

  async transcribe(
    { model, audio, mediaType, language, onSegment }: TranscriptionCall,
    { signal, user }: CallOptions,
  ): Promise<Transcript> {
    const transcriber = this.#transcriber(model);
    if (mediaType !== PCM16)
      throw new ChorusError('invalid_request', `Embedded models transcribe ${PCM16} only, not ${mediaType}`);
    await this.#weights.ready(model, signal);
    const segments: Transcript['segments'] = [];
    const heard: HeardSpeech[] = [];
    const silence = silenceOf(audio);
    let shown = 0;
    let startSecond = 0;
    for (const stretch of splitAtPauses(audio)) {
      const seconds = stretch.length / 2 / SPEECH_RATE;
      const endSecond = startSecond + seconds;
      const { text, confidence } = await transcribeSection(
        transcriber,
        stretch,
        { now: true, silence },
        { signal, user },
      );
      if (text !== '') {
        segments.push({ text, startSecond, endSecond });
        heard.push({ text, confidence, seconds, isNoisy: isNoisy(loudnessOf(stretch)) });
      }
      startSecond = endSecond;
      // Guessed words are not shown, and not worth the time.
      const isForeign = language === undefined && doubtLanguage(heard) === 'foreign';
      if (isForeign && startSecond > GIVE_UP_S) break;
      for (; !isForeign && shown < segments.length; shown += 1) onSegment?.(segments[shown]!);
    }
    const text = segments.map((segment) => segment.text).join(' ');
    const doubt = language === undefined ? doubtLanguage(heard) : null;
    return { ...transcriptOf(text, audio.length), segments, ...(doubt !== null && { doubt }) };
  }

  openTranscription({ model }: { model: string }, { signal, user }: CallOptions): EmbeddedLiveTranscription {
    const transcriber = this.#transcriber(model);
    this.#start(model, transcriber); // loads while the first words are spoken
    return new EmbeddedLiveTranscription(
      async (pcm16, urgency, own) => {
        await this.#weights.ready(model, own);
        return transcribeSection(transcriber, pcm16, urgency, { signal: own, user });
      },
      transcriptOf,
      transcriber.loaded,
      signal,
    );
  }

  async *streamSpeech(
    { model, text, voice, speed = 1 }: SpeechCall,
    { signal, user }: CallOptions,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const speaker = this.#speaker(model);
    const id = speaker.voiceOf(voice);
    if (id === null) throw new ChorusError('invalid_request', `embedded/${model} has no voice ${voice}`);
    if (text.length > MAX_CHARACTERS)
      throw new ChorusError('invalid_request', `Text to speak can have at most ${MAX_CHARACTERS} characters`);
    await this.#weights.ready(model, signal);
    const request = { text, voice: id, speed: Math.min(SPEEDS.max, Math.max(SPEEDS.min, speed)) };
    for await (const { pcm16 } of speaker.engine.run(request, { signal, urgency: { now: false }, user })) yield pcm16;
  }

  voices(model: string): Voice[] {
    return this.#speakers.get(model)?.voices ?? [];
  }

  /** Loads a model and prepares a voice, by default its default voice. Returns whether the model was loaded before. */
  prepare(model: string, voice?: string): boolean {
    const speaker = this.#speakers.get(model);
    const engine = this.#transcribers.get(model) ?? speaker?.engine;
    const isLoaded = engine?.isLoaded ?? true;
    if (engine === undefined) return isLoaded;
    const id = speaker?.voiceOf(voice) ?? null;
    this.#start(model, engine, () => {
      if (speaker !== undefined && id !== null) void warmUp(speaker, id);
    });
    return isLoaded;
  }

  /** Starts an engine as soon as its weights are available. Calls report failures. */
  #start(model: string, engine: { start(): void }, then: () => void = () => {}): void {
    const start = () => {
      engine.start();
      then();
    };
    if (this.#weights.isReady(model)) start();
    else this.#weights.ready(model).then(start, () => {});
  }

  close(): void {
    for (const engine of this.#engines()) engine.close();
  }

  /** Process ids of the running children. */
  get pids(): number[] {
    return this.#engines().flatMap(({ pid }) => pid ?? []);
  }

  #engines(): { pid: number | null; close(): void }[] {
    return [...this.#transcribers.values(), ...[...this.#speakers.values()].map(({ engine }) => engine)];
  }

  #transcriber(model: string): Transcriber {
    const transcriber = this.#transcribers.get(model);
    if (transcriber !== undefined) return transcriber;
    throw new ChorusError('model_not_found', `The embedded provider has no transcription model ${model}`);
  }

  #speaker(model: string): Speaker {
    const speaker = this.#speakers.get(model);
    if (speaker !== undefined) return speaker;
    throw new ChorusError('model_not_found', `The embedded provider has no speech model ${model}`);
  }
}

/** Prepares a voice. Failures are reported when the voice is used. */
async function warmUp({ engine }: Speaker, voice: string): Promise<void> {
  const options = { signal: new AbortController().signal, urgency: { now: false } };
  try {
    for await (const _ of engine.run({ text: '', voice, speed: 1 }, options));
  } catch {}
}

/** Transcribes a section, but skips silence, in which models hallucinate words. */
async function transcribeSection(
  transcriber: Transcriber,
  pcm16: Uint8Array,
  urgency: Urgency & { silence?: number },
  { signal, user }: CallOptions,
): Promise<TranscribedSpeech> {
  signal.throwIfAborted();
  if (loudestOf(pcm16) <= (urgency.silence ?? speechLevel(0))) return { text: '', confidence: 0 };
  for await (const heard of transcriber.run({ pcm16 }, { signal, urgency, user })) return heard;
  throw new ChorusError('provider_error', 'The embedded model returned nothing');
}

const loudestOf = (pcm16: Uint8Array) => loudnessOf(pcm16).reduce((most, loudness) => Math.max(most, loudness), 0);

/** Returns the loudness up to which parts of a recording count as silence. A quiet recording has quiet speech. */
function silenceOf(audio: Uint8Array): number {
  return Math.max(DIGITAL_SILENCE, Math.min(speechLevel(0), loudestOf(audio) * PAUSE_SHARE));
}

function transcriptOf(text: string, bytes: number): Transcript {
  return { text, segments: [], words: [], language: 'en', durationS: bytes / 2 / SPEECH_RATE, usage: unpriced() };
}
