import type { Voice } from '../../speech-port.ts';
import { kokoroVoice } from './kokoro-voices.ts';

export const FLITE_VOICES: Voice[] = [
  { id: 'slt', name: 'Slt', language: 'en-US' },
  { id: 'rms', name: 'Rms', language: 'en-US' },
  { id: 'awb', name: 'Awb', language: 'en-GB' },
  { id: 'kal16', name: 'Kal', language: 'en-US' },
];

/** Its voice for each group of Kokoro's, since it may speak in place of that. */
const GROUPS: Record<string, string> = { af: 'slt', am: 'rms', bf: 'slt', bm: 'awb' };

/** @returns the id of the voice that is meant; null where there is none */
export function fliteVoice(name: string | undefined): string | null {
  if (FLITE_VOICES.some((voice) => voice.id === name)) return name!;
  const like = kokoroVoice(name);
  return like && (GROUPS[like.slice(0, 2)] ?? null);
}
