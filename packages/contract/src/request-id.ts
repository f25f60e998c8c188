/** What a caller's own request id may look like; another one is replaced. */
const SANE = /^[\x21-\x7e]{1,128}$/;

/** The id that a caller gave its request; null: none that can be taken. */
export function requestIdOf(given: unknown): string | null {
  return typeof given === 'string' && SANE.test(given) ? given : null;
}
