import {
  ChorusError,
  PCM16,
  SPEECH_RATE,
  type SpeechOptions,
  type TranscriptionOptions,
  type Voice,
} from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { type EngineLimits, EngineProcess, type Urgency } from '../engine/engine-process.ts';
import { type CallOptions, unpriced } from '../engine-call.ts';
import { EmbeddedLiveTranscription, type Transcript } from './live-transcription.ts';
import { loudnessOf, speechLevel } from './loudness.ts';
import { splitAtPauses } from './split-at-pauses.ts';
import { FLITE_VOICES, fliteVoice, KOKORO_VOICES, kokoroVoice } from './voices.ts';

/** Messages of the speech engines. Sounds are pcm16 at 24 kHz. */

export interface SpeechToTranscribe {
  /** At most as long as the model reads at once. */
  pcm16: Uint8Array;
}

export interface TranscribedSpeech {
  text: string;
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

  constructor(log: Logger) {
    this.#transcribers = new Map([
      ['moonshine', new EngineProcess(MOONSHINE, ['base'], LIMITS, log)],
      ['moonshine-tiny', new EngineProcess(MOONSHINE, ['tiny'], LIMITS, log)],
    ]);
    this.#speakers = new Map([
      ['kokoro', { engine: new EngineProcess(KOKORO, [], LIMITS, log), voices: KOKORO_VOICES, voiceOf: kokoroVoice }],
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
    { model, audio, mediaType, onSegment }: TranscriptionCall,
    { signal, user }: CallOptions,
  ): Promise<Transcript> {
    const transcriber = this.#transcriber(model);
    if (mediaType !== PCM16)
      throw new ChorusError('invalid_request', `Embedded models transcribe ${PCM16} only, not ${mediaType}`);
    const segments: Transcript['segments'] = [];
    let startSecond = 0;
    for (const stretch of splitAtPauses(audio)) {
      const endSecond = startSecond + stretch.length / 2 / SPEECH_RATE;
      const text = await transcribeSection(transcriber, stretch, { now: true }, { signal, user });
      if (text !== '') {
        const segment = { text, startSecond, endSecond };
        segments.push(segment);
        onSegment?.(segment);
      }
      startSecond = endSecond;
    }
    const text = segments.map((segment) => segment.text).join(' ');
    return { ...transcriptOf(text, audio.length), segments };
  }

  openTranscription({ model }: { model: string }, { signal, user }: CallOptions): EmbeddedLiveTranscription {
    const transcriber = this.#transcriber(model);
    transcriber.start(); // loads while the first words are spoken
    return new EmbeddedLiveTranscription(
      (pcm16, urgency, own) => transcribeSection(transcriber, pcm16, urgency, { signal: own, user }),
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
    const request = { text, voice: id, speed: Math.min(SPEEDS.max, Math.max(SPEEDS.min, speed)) };
    for await (const { pcm16 } of speaker.engine.run(request, { signal, urgency: { now: false }, user })) yield pcm16;
  }

  voices(model: string): Voice[] {
    return this.#speakers.get(model)?.voices ?? [];
  }

  prepare(model: string, voice?: string): void {
    const speaker = this.#speakers.get(model);
    (this.#transcribers.get(model) ?? speaker?.engine)?.start();
    const id = voice === undefined ? null : (speaker?.voiceOf(voice) ?? null);
    if (speaker !== undefined && id !== null) void warmUp(speaker, id);
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

/** Prepares a voice. A failure is reported when the voice is used. */
async function warmUp({ engine }: Speaker, voice: string): Promise<void> {
  const options = { signal: new AbortController().signal, urgency: { now: false } };
  try {
    for await (const _ of engine.run({ text: '', voice, speed: 1 }, options));
  } catch {}
}

/** Transcribes a section, but skips silence, in which a model hears invented words. */
async function transcribeSection(
  transcriber: Transcriber,
  pcm16: Uint8Array,
  urgency: Urgency,
  { signal, user }: CallOptions,
): Promise<string> {
  signal.throwIfAborted();
  const loudest = loudnessOf(pcm16).reduce((most, loudness) => Math.max(most, loudness), 0);
  if (loudest <= speechLevel(0)) return '';
  for await (const { text } of transcriber.run({ pcm16 }, { signal, urgency, user })) return text;
  throw new ChorusError('provider_error', 'The embedded model returned nothing');
}

function transcriptOf(text: string, bytes: number): Transcript {
  return { text, segments: [], words: [], language: 'en', durationS: bytes / 2 / SPEECH_RATE, usage: unpriced() };
}
