import type { SpeechFormat } from '@chorus/contract';

/** Longest and default wait for an execution. */
const MAX_WAIT_S = 300;
const DEFAULT_WAIT_S = 60;

export interface Preference {
  respondAsync: boolean;
  waitMs: number;
  /** The value of `Preference-Applied`. Null: the request has no preference. */
  applied: string | null;
}

/**
 * Parses `Prefer` (RFC 7240): `respond-async` and `wait=<s>`. Ignores malformed and unknown preferences, as the
 * RFC says.
 */
export function readPreference(header: string | string[] | undefined): Preference {
  const preferences = new Map<string, string>();
  for (const part of [header ?? []].flat().join(',').split(',')) {
    const [name = '', value = ''] = (part.split(';', 1)[0] ?? '').split('=', 2);
    const key = name.trim().toLowerCase();
    // The first of several duplicates counts.
    if (key !== '' && !preferences.has(key)) preferences.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  if (preferences.has('respond-async')) return { respondAsync: true, waitMs: 0, applied: 'respond-async' };
  const wait = preferences.get('wait');
  if (wait === undefined || !/^\d{1,9}$/.test(wait)) {
    return { respondAsync: false, waitMs: DEFAULT_WAIT_S * 1_000, applied: null };
  }
  const seconds = Math.min(Number(wait), MAX_WAIT_S);
  return { respondAsync: false, waitMs: seconds * 1_000, applied: `wait=${seconds}` };
}

const FORMATS: Readonly<Record<string, SpeechFormat>> = {
  'audio/*': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/ogg': 'opus',
  'audio/opus': 'opus',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/pcm': 'pcm',
  'audio/l16': 'pcm',
};

/** Returns the audio format that `Accept` prefers to everything else. Null: it does not prefer audio. */
export function acceptedSound(accept: string | undefined): SpeechFormat | null {
  const ranges = (accept ?? '').split(',').flatMap((range, place) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return name === '' || !(weight > 0) ? [] : [{ name, weight, place }];
  });
  ranges.sort((one, other) => other.weight - one.weight || one.place - other.place);
  if (!ranges[0]?.name.startsWith('audio/')) return null;
  for (const { name } of ranges) if (Object.hasOwn(FORMATS, name)) return FORMATS[name] ?? null;
  return null;
}
