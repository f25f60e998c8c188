import type { OpenedText } from './read-text.ts';

/** What the reader of a text tells of how it was read. */
export function encodingWarning({ encoding }: OpenedText): { warnings: string[] } {
  if (encoding.startsWith('utf-')) return { warnings: [] };
  return { warnings: [`The text is not in UTF-8: it was read as ${encoding}.`] };
}
