let byName: Map<string, string> | undefined;

/** Returns the ISO 639 code of a language that a provider reports as a code or an English name. */
export function languageCode(reported: string | null | undefined): string | null {
  const name = reported?.trim().toLowerCase() ?? '';
  if (name === '') return null;
  byName ??= namesOfLanguages();
  const known = byName.get(name);
  if (known !== undefined) return known;
  try {
    // Shortens `eng` to `en`.
    return Intl.getCanonicalLocales(name)[0] ?? null;
  } catch {
    return null;
  }
}

function namesOfLanguages(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return new Map(codes.flatMap((code) => (names.of(code) ? [[String(names.of(code)).toLowerCase(), code]] : [])));
}
