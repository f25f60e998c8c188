import type { Voice } from '@chorus/contract';
import type { SpeechModels } from './speech-stream.ts';

/** Each provider's options for pcm16 at 24 kHz, and its known voices; it may have more. */
type Speech = Omit<SpeechModels, 'model'>;

const named = (...ids: string[]): Voice[] =>
  ids.map((id) => ({ id, name: id[0]!.toUpperCase() + id.slice(1), language: null }));

export const OPENAI_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm' },
  streamsBody: true,
  voices: named('alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse'),
};

export const ELEVENLABS_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm_24000' },
  streamsBody: true,
  voices: [
    { id: '21m00Tcm4TlvDq8ikWAM', name: 'Rachel', language: null },
    { id: 'JBFqnCBsd6RMkjVDRZzb', name: 'George', language: null },
    { id: 'EXAVITQu4vr4xnSDxMaL', name: 'Sarah', language: null },
  ],
};

/** A model is a voice. */
export const DEEPGRAM_SPEECH: Speech = {
  pcm: {
    outputFormat: 'pcm',
    providerOptions: { deepgram: { encoding: 'linear16', container: 'none', sampleRate: 24_000 } },
  },
  streamsBody: true,
  voices: [],
};

export const GOOGLE_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm' },
  streamsBody: false,
  voices: named(
    'Kore',
    'Puck',
    'Zephyr',
    'Charon',
    'Fenrir',
    'Leda',
    'Orus',
    'Aoede',
    'Callirrhoe',
    'Enceladus',
    'Iapetus',
  ),
};
