import { t } from '../../../i18n/i18n.ts';

/** The command line of Chorus. */
const CLI = /chorus-cli/;

/** Matched in this order, because many browsers also claim to be others. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
  [/^node/, 'Node.js'],
  [/python/i, 'Python'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** Returns a readable name for a user agent, such as "Firefox on Linux". */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return t('settings.unknownDevice');
  if (CLI.test(userAgent)) return t('settings.commandLine');
  const nameIn = (list: typeof PROGRAMS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const program = nameIn(PROGRAMS);
  if (program === undefined) return userAgent.slice(0, 60);
  const system = nameIn(SYSTEMS);
  return system === undefined ? program : t('settings.programOnSystem', { program, system });
}
