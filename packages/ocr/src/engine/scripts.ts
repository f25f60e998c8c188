/** Languages of each non-Latin script, the most likely first, under the engine's names. */
const LANGUAGES = {
  Arabic: ['ara', 'fas', 'urd'],
  Armenian: ['hye'],
  Bengali: ['ben', 'asm'],
  Cyrillic: ['rus', 'ukr', 'bul', 'srp', 'bel', 'mkd', 'kaz'],
  Devanagari: ['hin', 'mar', 'nep', 'san'],
  Ethiopic: ['amh', 'tir'],
  Georgian: ['kat'],
  Greek: ['ell', 'grc'],
  Gujarati: ['guj'],
  Gurmukhi: ['pan'],
  Han: ['chi_sim', 'chi_tra', 'jpn', 'chi_sim_vert', 'chi_tra_vert', 'jpn_vert'],
  Hebrew: ['heb', 'yid'],
  Japanese: ['jpn', 'jpn_vert'],
  Kannada: ['kan'],
  Khmer: ['khm'],
  Korean: ['kor', 'kor_vert'],
  Lao: ['lao'],
  Malayalam: ['mal'],
  Myanmar: ['mya'],
  Sinhala: ['sin'],
  Tamil: ['tam'],
  Telugu: ['tel'],
  Thai: ['tha'],
  'vertical Chinese': ['chi_sim_vert', 'chi_tra_vert'],
  'vertical Japanese': ['jpn_vert'],
  'vertical Korean': ['kor_vert'],
} as const;

export type Script = keyof typeof LANGUAGES;

/** Returns a detected script if none of the languages uses it. */
export function foreignScript(detected: string | null, languages: readonly string[]): Script | null {
  if (detected === null || !(detected in LANGUAGES)) return null;
  const script = detected as Script;
  return languages.some((language) => languagesOf(script).includes(language)) ? null : script;
}

export const languagesOf = (script: string): readonly string[] => LANGUAGES[script as Script] ?? [];

/** Languages that are also written from top to bottom, for which the engine has separate data. */
const VERTICAL: Record<string, Script> = {
  chi_sim: 'vertical Chinese',
  chi_tra: 'vertical Chinese',
  jpn: 'vertical Japanese',
  kor: 'vertical Korean',
};

export interface VerticalLanguages {
  /** Data for lines from top to bottom. */
  installed: string[];
  /** The script of the first language whose data is not installed. */
  missing: Script | null;
}

export interface PageLanguages {
  languages: readonly string[];
  vertical: VerticalLanguages;
}

/** Returns the data for vertical lines in these languages. */
export function verticalOf(languages: readonly string[], available: readonly string[]): VerticalLanguages {
  const wanted = languages.map((language) => (language in VERTICAL ? `${language}_vert` : language));
  const vertical = [...new Set(wanted.filter((language) => language.endsWith('_vert')))];
  const installed = vertical.filter((language) => available.includes(language));
  const first = languages.find((language) => language in VERTICAL);
  return { installed, missing: installed.length > 0 || first === undefined ? null : (VERTICAL[first] as Script) };
}
