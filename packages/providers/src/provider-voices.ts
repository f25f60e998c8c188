import type { Voice } from './speech-port.ts';
import type { SpeechModels } from './speech-stream.ts';

/** How each provider is asked for pcm16 at 24 kHz, and the voices that it is known to have; it may have more. */
type Speech = Omit<SpeechModels, 'model'>;

const named = (...ids: string[]): Voice[] =>
  ids.map((id) => ({ id, name: id[0]!.toUpperCase() + id.slice(1), language: null }));

export const OPENAI_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm' },
  bodyIsSound: true,
  voices: named('alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse'),
};

export const ELEVENLABS_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm_24000' },
  bodyIsSound: true,
  voices: [
    { id: '21m00Tcm4TlvDq8ikWAM', name: 'Rachel', language: null },
    { id: 'JBFqnCBsd6RMkjVDRZzb', name: 'George', language: null },
    { id: 'EXAVITQu4vr4xnSDxMaL', name: 'Sarah', language: null },
  ],
};

/** The model is the voice there. */
export const DEEPGRAM_SPEECH: Speech = {
  pcm: {
    outputFormat: 'pcm',
    providerOptions: { deepgram: { encoding: 'linear16', container: 'none', sampleRate: 24_000 } },
  },
  bodyIsSound: true,
  voices: [],
};

export const GOOGLE_SPEECH: Speech = {
  pcm: { outputFormat: 'pcm' },
  bodyIsSound: false,
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
