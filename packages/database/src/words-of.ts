/** The words of a search as patterns that mean only themselves. */
export function wordsOf(q: string | undefined): string[] {
  const words = (q ?? '').split(/\s+/).filter((word) => word !== '');
  return words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
}
