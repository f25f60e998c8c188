import type { Voice } from '@chorus/contract';

/** Voices by accent and gender. */
const NAMES = {
  af: ['heart', 'alloy', 'aoede', 'bella', 'jessica', 'kore', 'nicole', 'nova', 'river', 'sarah', 'sky'],
  am: ['adam', 'echo', 'eric', 'fenrir', 'liam', 'michael', 'onyx', 'puck', 'santa'],
  bf: ['alice', 'emma', 'isabella', 'lily'],
  bm: ['daniel', 'fable', 'george', 'lewis'],
};

/** English voices. Other languages would need other phonemes. */
export const KOKORO_VOICES: Voice[] = Object.entries(NAMES).flatMap(([group, names]) =>
  names.map((name) => ({
    id: `${group}_${name}`,
    name: name[0]!.toUpperCase() + name.slice(1),
    language: group.startsWith('b') ? 'en-GB' : 'en-US',
  })),
);

/** The default voice, which was trained the longest. */
export const DEFAULT_VOICE = 'af_heart';

/** Maps OpenAI's voices to similar ones. */
const OPENAI_VOICES: Record<string, string> = {
  alloy: 'af_alloy',
  ash: 'am_michael',
  ballad: 'bm_george',
  cedar: 'am_fenrir',
  coral: 'af_sarah',
  echo: 'am_echo',
  fable: 'bm_fable',
  marin: 'af_heart',
  nova: 'af_nova',
  onyx: 'am_onyx',
  sage: 'af_kore',
  shimmer: 'af_bella',
  verse: 'am_puck',
};

/** Returns the voice's id, or null if there is none. */
export function kokoroVoice(name: string | undefined): string | null {
  if (name === undefined) return DEFAULT_VOICE;
  const id = OPENAI_VOICES[name] ?? name;
  return KOKORO_VOICES.some((voice) => voice.id === id) ? id : null;
}

export function voiceLanguage(id: string): string {
  return KOKORO_VOICES.find((voice) => voice.id === id)?.language ?? 'en-US';
}

export const FLITE_VOICES: Voice[] = [
  { id: 'slt', name: 'Slt', language: 'en-US' },
  { id: 'rms', name: 'Rms', language: 'en-US' },
  { id: 'awb', name: 'Awb', language: 'en-GB' },
  { id: 'kal16', name: 'Kal', language: 'en-US' },
];

/** Flite's voice for each group of Kokoro's, so that it can replace Kokoro. */
const GROUPS: Record<string, string> = { af: 'slt', am: 'rms', bf: 'slt', bm: 'awb' };

/** Returns the voice's id, or null if there is none. */
export function fliteVoice(name: string | undefined): string | null {
  if (FLITE_VOICES.some((voice) => voice.id === name)) return name!;
  const like = kokoroVoice(name);
  return like && (GROUPS[like.slice(0, 2)] ?? null);
}
