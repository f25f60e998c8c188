const VARIABLE = /\{\{\s*([^{}\n]{1,60}?)\s*\}\}/g;

/** Returns the names of a prompt's variables, each once, in order. */
export function variablesOf(content: string): string[] {
  return [...new Set([...content.matchAll(VARIABLE)].map(([, name = '']) => name))];
}

/** Replaces variables by their values. Those without a value stay as they are. */
export function fillIn(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/** Returns what follows the slash of a message that begins with one; null for other messages. */
export function promptQuery(message: string): string | null {
  return /^\/([^\n/]{0,100})$/.exec(message)?.[1]?.trim() ?? null;
}
