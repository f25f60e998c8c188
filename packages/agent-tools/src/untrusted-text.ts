/** Control characters, and invisible characters that could hide instructions from people. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u{e0000}-\u{e007f}]/gu;

/** The same, except line breaks, tabs, and joiners that scripts and emoji need. */
const INVISIBLE_IN_RESULTS = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u{e0000}-\u{e007f}]/gu;

/** Cleans a name or description from a third party, and puts it on one line. */
export function cleanLine(text: string, maxChars: number): string {
  const line = clip(text, maxChars * 4)
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .trim();
  return clip(line, maxChars);
}

/** Cleans the text of a result. Line breaks stay. */
export function cleanResult(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(INVISIBLE_IN_RESULTS, '');
}

/** Cuts a text without splitting a character. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.charCodeAt(maxChars - 1);
  return text.slice(0, end >= 0xd800 && end < 0xdc00 ? maxChars - 1 : maxChars);
}

/** Limits of schemas from third parties. */
const MAX_SCHEMA_CHARS = 20_000;
const MAX_SCHEMA_DEPTH = 24;
const MAX_SCHEMA_TEXT = 1_000;
const MAX_SCHEMA_NAME = 200;

/** Returns a copy of a JSON schema with clean texts. Null: it is too large or too deep. */
export function cleanSchema(schema: Record<string, unknown>): Record<string, unknown> | null {
  let chars = 0;
  const copy = (value: unknown, depth: number): unknown => {
    if (depth > MAX_SCHEMA_DEPTH) throw new RangeError('too deep');
    chars += 4;
    if (typeof value === 'string') {
      const text = cleanLine(value, MAX_SCHEMA_TEXT);
      chars += text.length;
      if (chars > MAX_SCHEMA_CHARS) throw new RangeError('too large');
      return text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    const entries: [string, unknown][] = [];
    for (const [given, part] of Object.entries(value)) {
      const name = cleanLine(given, MAX_SCHEMA_NAME);
      chars += name.length;
      if (chars > MAX_SCHEMA_CHARS) throw new RangeError('too large');
      entries.push([name, copy(part, depth + 1)]);
    }
    return Object.fromEntries(entries);
  };
  try {
    return copy(schema, 0) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
