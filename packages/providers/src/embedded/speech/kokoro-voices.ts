import type { Voice } from '../../speech-port.ts';

/** Voices by the letters before their names: the accent, and a woman's or a man's. */
const NAMES = {
  af: ['heart', 'alloy', 'aoede', 'bella', 'jessica', 'kore', 'nicole', 'nova', 'river', 'sarah', 'sky'],
  am: ['adam', 'echo', 'eric', 'fenrir', 'liam', 'michael', 'onyx', 'puck', 'santa'],
  bf: ['alice', 'emma', 'isabella', 'lily'],
  bm: ['daniel', 'fable', 'george', 'lewis'],
};

/** The English ones; its other languages would need phonemes that nothing here makes. */
export const KOKORO_VOICES: Voice[] = Object.entries(NAMES).flatMap(([group, names]) =>
  names.map((name) => ({
    id: `${group}_${name}`,
    name: name[0]!.toUpperCase() + name.slice(1),
    language: group.startsWith('b') ? 'en-GB' : 'en-US',
  })),
);

/** The voice of those who name none: the one that its makers trained longest. */
export const USUAL_VOICE = 'af_heart';

/** Who asks for a voice of OpenAI's gets one of its kind, or the one of its name. */
const NAMED_ELSEWHERE: Record<string, string> = {
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

/** @returns the id of the voice that is meant; null where there is none */
export function kokoroVoice(name: string | undefined): string | null {
  if (name === undefined) return USUAL_VOICE;
  const id = NAMED_ELSEWHERE[name] ?? name;
  return KOKORO_VOICES.some((voice) => voice.id === id) ? id : null;
}

/** @param id of one of `KOKORO_VOICES` */
export function voiceLanguage(id: string): string {
  return KOKORO_VOICES.find((voice) => voice.id === id)?.language ?? 'en-US';
}
