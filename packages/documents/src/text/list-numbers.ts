/** Counts the items of lists by their depth, as the numbers that readers see. */
export class ListNumbers {
  /** By list, the last number of each depth. */
  readonly #counts = new Map<string, number[]>();

  next(list: string, depth: number): number {
    const counts = this.#counts.get(list) ?? [];
    const number = (counts[depth] ?? 0) + 1;
    counts.length = depth + 1; // what stands deeper begins anew
    counts[depth] = number;
    this.#counts.set(list, counts);
    return number;
  }
}

/** An item as Markdown. @param number null: it has a sign of no meaning */
export function itemOf(text: string, depth: number, number: number | null): string {
  const indent = '  '.repeat(Math.min(depth, 9));
  return `${indent}${number === null ? '-' : `${number}.`} ${text.replace(/\s+/g, ' ').trim()}`;
}
