import { OPENAI_VOICES, type Voice } from '@chorus/contract';
import type { SpeechModels } from './speech-stream.ts';

/** Each provider's options for pcm16 at 24 kHz, and its known voices, of which it may have more. */
type Speech = Omit<SpeechModels, 'model'>;

/** An id, and the voices of OpenAI that it replaces. */
type Named = readonly [id: string, ...standsFor: (typeof OPENAI_VOICES)[number][]];

const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1);

const named = (...voices: Named[]): Voice[] =>
  voices.map(([id, ...stands_for]) => ({
    id,
    name: capitalized(id),
    language: null,
    ...(stands_for.length > 0 && { stands_for }),
  }));

const OPENAI_ALL = named(...OPENAI_VOICES.map((id): Named => [id]));
const OPENAI_FIRST = named(
  ['alloy'],
  ['ash', 'verse'],
  ['coral'],
  ['echo'],
  ['fable', 'ballad'],
  ['nova', 'marin'],
  ['onyx', 'cedar'],
  ['sage'],
  ['shimmer'],
);
const isFirstGeneration = (model: string) => /^tts-1/.test(model);

export const OPENAI_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm' },
  streamsBody: true,
  maxCharacters: 4_096,
  voices: (model) => (isFirstGeneration(model) ? OPENAI_FIRST : OPENAI_ALL),
  options: (model) => ({ instructions: !isFirstGeneration(model), speed: { min: 0.25, max: 4 } }),
  // A custom voice is an object.
  voiceParameter: (voice) => (voice.startsWith('voice_') ? { id: voice } : voice),
};

export const ELEVENLABS_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm_24000' },
  streamsBody: true,
  maxCharacters: 5_000,
  voices: () => [
    {
      id: '21m00Tcm4TlvDq8ikWAM',
      name: 'Rachel',
      language: null,
      stands_for: ['alloy', 'marin', 'sage'],
    },
    {
      id: 'JBFqnCBsd6RMkjVDRZzb',
      name: 'George',
      language: null,
      stands_for: ['ash', 'ballad', 'cedar', 'echo', 'fable', 'onyx', 'verse'],
    },
    { id: 'EXAVITQu4vr4xnSDxMaL', name: 'Sarah', language: null, stands_for: ['coral', 'nova', 'shimmer'] },
  ],
  options: () => ({ instructions: false, speed: { min: 0.7, max: 1.2 } }),
};

/** Each model is a voice. */
export const DEEPGRAM_SPEECH: Speech = {
  pcm: {
    outputFormat: 'pcm',
    providerOptions: { deepgram: { encoding: 'linear16', container: 'none', sampleRate: 24_000 } },
  },
  streamsBody: true,
  maxCharacters: 2_000,
  voices: () => [],
  options: () => ({ instructions: false, speed: { min: 0.7, max: 1.5 } }),
};

const GOOGLE_VOICES = named(
  ['Kore', 'alloy'],
  ['Puck', 'verse'],
  ['Zephyr', 'nova'],
  ['Charon', 'echo'],
  ['Fenrir', 'fable'],
  ['Leda', 'sage'],
  ['Orus', 'onyx'],
  ['Aoede', 'shimmer', 'marin'],
  ['Callirrhoe', 'coral'],
  ['Enceladus', 'ballad', 'cedar'],
  ['Iapetus', 'ash'],
);

export const GOOGLE_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm' },
  streamsBody: false,
  maxCharacters: 4_000,
  voices: () => GOOGLE_VOICES,
  options: () => ({ instructions: true, speed: null }),
};
