/** In bytes of UTF-8: what file systems take. */
const MAX_BYTES = 255;

/**
 * A file's name as somebody gave it, fit to be shown and to be saved under: no folders, nothing that can't be seen or turns the direction of what
 * is read, not too long. Null where nothing is left.
 */
export function harmlessName(given: string | null): string | null {
  if (given === null) return null;
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const seen = last
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .trim()
    .replace(/^\.+/, '');
  return seen === '' ? null : shortened(seen);
}

/** Cut in the middle, so that its ending stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [ending = ''] = /\.[^.]{1,20}$/u.exec(name) ?? [];
  let start = '';
  for (const character of name) {
    if (Buffer.byteLength(start + character + ending) > MAX_BYTES) break;
    start += character;
  }
  return start + ending;
}
