/** Invisible characters, and those that reverse text, except the emoji joiner. They could hide text. */
const INVISIBLE = /(?![\n\t\u200d])[\p{Cc}\p{Cf}]/gu;

const MAX_SHORT_CHARS = 160;

/** Returns text with invisible characters as escapes. */
export function visibleText(text: string): string {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE, escaped);
}

/** Returns the arguments of a call by name, or null if they are not a JSON object. Strings are shown without quotes. */
export function namedArguments(json: string): [name: string, value: string][] | null {
  const fields = fieldsIn(json);
  if (fields === null) return null;
  return fields.map(([name, value]) => [visibleText(name), visibleText(textOf(value))]);
}

/** Returns arguments on one line. */
export function shortArguments(json: string): string {
  const fields = fieldsIn(json)?.map(([name, value]) => `${name}: ${textOf(value)}`);
  return visibleText((fields?.join(', ') ?? json).replace(/\s+/g, ' ').slice(0, MAX_SHORT_CHARS));
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function fieldsIn(json: string): [name: string, value: unknown][] | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  } catch {
    return null;
  }
}
