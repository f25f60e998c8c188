import type { CitationItem } from '@chorus/contract';

/** Longest result of a call, and the room of all results of a turn. */
const MAX_RESULT_BYTES = 262_144;
const MAX_RESULTS_BYTES = 2_097_152;

/** Results of any turn get at least this much. */
const MIN_RESULT_BYTES = 2_000;

/** Cuts a text to a number of bytes of UTF-8, and says so. */
export function cutTo(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const kept = Buffer.from(text).subarray(0, maxBytes).toString().replace(/�+$/u, '');
  return `${kept}\n\n[Cut: the result has ${bytes} bytes, of which ${Buffer.byteLength(kept)} are shown.]`;
}

/** Cuts a result to the room that earlier ones have left. */
export function boundedResult(text: string, before: readonly { result: string | null }[]): string {
  const used = before.reduce((sum, { result }) => sum + Buffer.byteLength(result ?? ''), 0);
  const room = Math.max(MIN_RESULT_BYTES, Math.min(MAX_RESULT_BYTES, MAX_RESULTS_BYTES - used));
  return cutTo(text, room);
}

/**
 * Gives the passages of a result numbers that are unique in the turn, and replaces the tool's own numbers in its text.
 * @param after number of passages that the turn has
 */
export function renumber(
  text: string,
  citations: readonly CitationItem[],
  after: number,
): { text: string; passages: CitationItem[] } {
  const numbers = new Map(citations.map(({ marker }, index) => [marker, after + index + 1]));
  return {
    text: text.replace(/\[(\d{1,3})\]/g, (whole, number) => {
      const given = numbers.get(Number(number));
      return given === undefined ? whole : `[${given}]`;
    }),
    passages: citations.map((citation, index) => ({ ...citation, marker: after + index + 1 })),
  };
}

/** Returns the passages that a text cites by number and that were not cited before. */
export function citedIn(text: string, passages: readonly CitationItem[], cited: ReadonlySet<number>): CitationItem[] {
  const numbers = new Set([...text.matchAll(/\[(\d{1,5})\]/g)].map(([, number]) => Number(number)));
  return passages.filter(({ marker }) => numbers.has(marker) && !cited.has(marker));
}
