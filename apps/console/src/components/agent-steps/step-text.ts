/** Characters that are not seen, or reverse what is seen. Tools could hide text with them. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

const MAX_SHORT_CHARS = 160;

/** Returns text with invisible characters as escapes. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns JSON with line breaks, or the text if it is not valid. */
export function prettyJson(text: string): string {
  try {
    return visibleText(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return visibleText(text);
  }
}

/** Returns arguments on one line. */
export function shortArguments(json: string): string {
  return visibleText(fieldsOf(json).replace(/\s+/g, ' ').slice(0, MAX_SHORT_CHARS));
}

function fieldsOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return json;
    return Object.entries(value)
      .map(([name, field]) => `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`)
      .join(', ');
  } catch {
    return json;
  }
}
