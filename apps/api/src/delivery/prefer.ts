/** The longest that an answer waits for the end, and what it waits when nothing is said, in seconds. */
const MAX_WAIT_S = 300;
const DEFAULT_WAIT_S = 60;

export interface Preference {
  respondAsync: boolean;
  waitMs: number;
  /** The value of `Preference-Applied`; null when nothing was preferred. */
  applied: string | null;
}

/** Reads `Prefer` (RFC 7240): `respond-async` and `wait=<s>`. What is malformed or unknown is ignored, as the RFC says. */
export function readPreference(header: string | string[] | undefined): Preference {
  const preferences = new Map<string, string>();
  for (const part of [header ?? []].flat().join(',').split(',')) {
    const [name = '', value = ''] = (part.split(';', 1)[0] ?? '').split('=', 2);
    const key = name.trim().toLowerCase();
    // The first of two counts.
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
