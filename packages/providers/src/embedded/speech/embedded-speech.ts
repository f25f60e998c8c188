import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { CallOptions, KnownModel } from '../../provider-port.ts';
import {
  type LiveTranscription,
  PCM16,
  SPEECH_RATE,
  type SpeechCall,
  type Transcript,
  type TranscriptionCall,
  type Voice,
} from '../../speech-port.ts';
import { type EngineLimits, EngineProcess, type Urgency } from '../engine/engine-process.ts';
import { FLITE_VOICES, fliteVoice } from './flite-voices.ts';
import { KOKORO_VOICES, kokoroVoice } from './kokoro-voices.ts';
import { EmbeddedLiveTranscription } from './live-transcription.ts';
import { loudnessOf, speechLevel } from './loudness.ts';
import type { HeardSpeech, SpeechToHear, SpokenPhrase, TextToSpeak } from './speech-requests.ts';
import { stretchesOf } from './stretches.ts';

const MOONSHINE = new URL('../../moonshine-main.ts', import.meta.url);
const KOKORO = new URL('../../kokoro-main.ts', import.meta.url);
const FLITE = new URL('../../flite-main.ts', import.meta.url);

const LIMITS: EngineLimits = { idleMs: 300_000, mostWaiting: 64 };

/** Texts beyond it are refused. */
const MAX_CHARACTERS = 20_000;
const SLOWEST = 0.5;
const FASTEST = 2;

type Listener = EngineProcess<SpeechToHear, HeardSpeech>;

interface Speaker {
  engine: EngineProcess<TextToSpeak, SpokenPhrase>;
  voices: Voice[];
  voiceOf(name: string | undefined): string | null;
}

/** The models that listen and speak here, in English, each in a process of its own that is started when it is first needed. */
export class EmbeddedSpeech {
  readonly #listeners: Map<string, Listener>;
  readonly #speakers: Map<string, Speaker>;

  constructor(log: Logger) {
    this.#listeners = new Map([
      ['moonshine', new EngineProcess(MOONSHINE, ['base'], LIMITS, log)],
      ['moonshine-tiny', new EngineProcess(MOONSHINE, ['tiny'], LIMITS, log)],
    ]);
    this.#speakers = new Map([
      ['kokoro', { engine: new EngineProcess(KOKORO, [], LIMITS, log), voices: KOKORO_VOICES, voiceOf: kokoroVoice }],
      ['flite', { engine: new EngineProcess(FLITE, [], LIMITS, log), voices: FLITE_VOICES, voiceOf: fliteVoice }],
    ]);
  }

  models(): KnownModel[] {
    const known = (id: string, capability: 'speech' | 'transcription'): KnownModel => ({
      id,
      created: 0,
      capabilities: [capability],
      contextWindow: null,
    });
    return [
      ...[...this.#listeners.keys()].map((id) => known(id, 'transcription')),
      ...[...this.#speakers.keys()].map((id) => known(id, 'speech')),
    ];
  }

  async transcribe({ model, audio, mediaType }: TranscriptionCall, { signal, user }: CallOptions): Promise<Transcript> {
    const listener = this.#listener(model);
    if (mediaType !== PCM16)
      throw new ChorusError('invalid_request', `The embedded models read ${PCM16} alone, not ${mediaType}`);
    const segments: Transcript['segments'] = [];
    let startSecond = 0;
    for (const stretch of stretchesOf(audio)) {
      const endSecond = startSecond + stretch.length / 2 / SPEECH_RATE;
      const text = await hear(listener, stretch, { now: true }, { signal, user });
      if (text !== '') segments.push({ text, startSecond, endSecond });
      startSecond = endSecond;
    }
    const text = segments.map((segment) => segment.text).join(' ');
    return { ...transcriptOf(text, audio.length), segments };
  }

  openTranscription({ model }: { model: string }, { signal, user }: CallOptions): LiveTranscription {
    const listener = this.#listener(model);
    listener.start(); // it is loaded while the first words are spoken
    return new EmbeddedLiveTranscription(
      (pcm16, urgency, own) => hear(listener, pcm16, urgency, { signal: own, user }),
      transcriptOf,
      listener.loaded,
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
      throw new ChorusError('invalid_request', `A text that is spoken may have ${MAX_CHARACTERS} characters`);
    const request = { text, voice: id, speed: Math.min(FASTEST, Math.max(SLOWEST, speed)) };
    for await (const { pcm16 } of speaker.engine.run(request, { signal, urgency: { now: false }, user })) yield pcm16;
  }

  voices(model: string): Voice[] {
    return this.#speakers.get(model)?.voices ?? [];
  }

  prepare(model: string, voice?: string): void {
    const speaker = this.#speakers.get(model);
    (this.#listeners.get(model) ?? speaker?.engine)?.start();
    const id = voice === undefined ? null : (speaker?.voiceOf(voice) ?? null);
    if (speaker !== undefined && id !== null) void meet(speaker, id);
  }

  close(): void {
    for (const engine of this.#engines()) engine.close();
  }

  /** Of the processes that run. */
  get pids(): number[] {
    return this.#engines().flatMap(({ pid }) => pid ?? []);
  }

  #engines(): { pid: number | null; close(): void }[] {
    return [...this.#listeners.values(), ...[...this.#speakers.values()].map(({ engine }) => engine)];
  }

  #listener(model: string): Listener {
    const listener = this.#listeners.get(model);
    if (listener !== undefined) return listener;
    throw new ChorusError('model_not_found', `The embedded provider does not listen by ${model}`);
  }

  #speaker(model: string): Speaker {
    const speaker = this.#speakers.get(model);
    if (speaker !== undefined) return speaker;
    throw new ChorusError('model_not_found', `The embedded provider does not speak by ${model}`);
  }
}

/** Makes a voice ready. Where that fails, whoever wants it spoken is told. */
async function meet({ engine }: Speaker, voice: string): Promise<void> {
  const options = { signal: new AbortController().signal, urgency: { now: false } };
  try {
    for await (const _ of engine.run({ text: '', voice, speed: 1 }, options));
  } catch {}
}

/** The words of a stretch. Silence is not asked for: a model that hears nothing makes something up. */
async function hear(
  listener: Listener,
  pcm16: Uint8Array,
  urgency: Urgency,
  { signal, user }: Pick<CallOptions, 'signal' | 'user'>,
): Promise<string> {
  signal.throwIfAborted();
  const loudest = loudnessOf(pcm16).reduce((most, loudness) => Math.max(most, loudness), 0);
  if (loudest <= speechLevel(0)) return '';
  for await (const { text } of listener.run({ pcm16 }, { signal, urgency, user })) return text;
  throw new ChorusError('provider_error', 'The embedded model said nothing');
}

function transcriptOf(text: string, bytes: number): Transcript {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };
  return { text, segments: [], language: 'en', durationS: bytes / 2 / SPEECH_RATE, usage };
}
