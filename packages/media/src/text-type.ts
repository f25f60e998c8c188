import { isUtf8 } from 'node:buffer';

/** Bytes that do not occur in text, from the WHATWG MIME sniffing standard. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Lines that must have equal separators for a text to count as a table. */
const TABLE_LINES = 10;

const HTML_TAGS =
  'a|abbr|article|audio|b|base|body|br|button|canvas|center|details|dialog|div|embed|font|footer|form|frameset|h[1-6]|head|header|hr|html|' +
  'i|iframe|img|input|link|main|map|marquee|math|meta|nav|noscript|object|ol|p|picture|pre|script|section|select|span|style|table|template|' +
  'textarea|title|u|ul|video';
const HTML = new RegExp(`^(?:<!doctype\\s+html|<(?:${HTML_TAGS})(?=[\\s>/]))`, 'i');

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. Other bytes must be nearly all ASCII. Returns null if not text.
 *
 * @param complete whether these are all bytes. Otherwise the last character may be cut.
 */
export function decodeText(bytes: Uint8Array, complete: boolean): string | null {
  const [one, two] = bytes;
  if ((one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff)) {
    const text = new TextDecoder(one === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
    return BINARY.test(text) ? null : text;
  }
  const whole = complete ? bytes : withoutCutCharacter(bytes);
  const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString(
    isUtf8(whole) ? 'utf8' : 'latin1',
  );
  if (BINARY.test(text)) return null;
  if (isUtf8(whole)) return text.replace(/^\uFEFF/, '');
  const odd = text.replace(/[\t\n\f\r -~]/g, '').length;
  return odd * 20 <= text.length ? text : null;
}

/** Removes a UTF-8 character of up to four bytes that is cut at the end. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back);
    if (byte < 0x80) break;
  }
  return bytes;
}

/** Returns the type of a text, by default `text/plain`. Types that browsers would run come first. */
export function textType(text: string, complete: boolean): string {
  const start = withoutComments(text);
  if (HTML.test(start)) return 'text/html';
  if (start.startsWith('<')) return markupType(text, start);
  if (/^[[{]/.test(start) && isJson(start, complete)) return 'application/json';
  if (start.startsWith('{') && isJsonLines(start)) return 'application/x-ndjson';
  return separatorOf(text, complete) === null ? 'text/plain' : 'text/csv';
}

/** Removes everything before the first element of markup. */
function withoutComments(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->');
    if (end < 0) return '<!--';
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}

function markupType(text: string, start: string): string {
  // XML may contain scripts anywhere, so such an element counts at any depth.
  if (/<(?:\w+:)?svg[\s>]/i.test(text)) return 'image/svg+xml';
  if (/1999\/xhtml|<(?:\w+:)?(?:html|script)[\s>]/i.test(text)) return 'application/xhtml+xml';
  if (start === '<!--') return 'text/html';
  return /^<\?xml\s|^<[a-z_][\w:.-]*[\s>/]|^<!doctype\s/i.test(start) ? 'application/xml' : 'text/plain';
}

function isJson(text: string, complete: boolean): boolean {
  if (!complete) return /^(?:\{\s*"(?:[^"\\]|\\.)*"\s*:|\[\s*(?:[[{"\d-]|true|false|null))/.test(text);
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isJsonLines(text: string): boolean {
  const lines = text.split('\n', 3).slice(0, 2);
  return lines.length === 2 && lines.every((line) => isJson(line.trim(), true));
}

/** Returns the column separator of a table. Null if it is not a table. */
function separatorOf(text: string, complete: boolean): string | null {
  const lines = text.split(/\r?\n/, TABLE_LINES + 1);
  // The last line may be cut, or empty.
  const whole = (complete && lines.length <= TABLE_LINES ? lines : lines.slice(0, -1)).filter((line) => line !== '');
  if (whole.length < 2) return null;
  for (const separator of [',', ';', '\t']) {
    const counts = whole.map((line) => line.replace(/"[^"]*"/g, '').split(separator).length - 1);
    const [first = 0] = counts;
    const spaced = separator === ',' && whole.every((line) => line.includes(', '));
    if (first > 0 && !spaced && counts.every((count) => count === first)) return separator;
  }
  return null;
}
