/** Maximum length of a name in file systems, in bytes of UTF-8. */
const MAX_BYTES = 255;

/**
 * Makes a file name safe to display and save. Removes folders, invisible characters, and direction marks, and
 * limits the length. Returns null if nothing remains.
 */
export function sanitizeFilename(given: string | null): string | null {
  if (given === null) return null;
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const seen = last
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .trim()
    .replace(/^\.+/, '');
  return seen === '' ? null : shorten(seen);
}

/** Shortens a name but keeps its extension. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [ending = ''] = /\.[^.]{1,20}$/u.exec(name) ?? [];
  let start = '';
  for (const character of name) {
    if (Buffer.byteLength(start + character + ending) > MAX_BYTES) break;
    start += character;
  }
  return start + ending;
}
