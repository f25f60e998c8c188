/** Languages of each script that is not Latin, the likeliest first; its names are those of the engine. */
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
} as const;

export type Script = keyof typeof LANGUAGES;

/** Returns a detected script that none of the languages is written in. */
export function foreignScript(detected: string | null, languages: readonly string[]): Script | null {
  if (detected === null || !(detected in LANGUAGES)) return null;
  const script = detected as Script;
  return languages.some((language) => languagesOf(script).includes(language)) ? null : script;
}

export const languagesOf = (script: string): readonly string[] => LANGUAGES[script as Script] ?? [];
