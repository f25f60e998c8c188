/** Numbers list items by depth, as shown to readers. */
export class ListNumbers {
  readonly #counts = new Map<string, number[]>();

  next(list: string, depth: number): number {
    const counts = this.#counts.get(list) ?? [];
    const number = (counts[depth] ?? 0) + 1;
    counts.length = depth + 1; // deeper levels restart
    counts[depth] = number;
    this.#counts.set(list, counts);
    return number;
  }
}

export function itemOf(text: string, depth: number, number: number | null): string {
  const indent = '  '.repeat(Math.min(depth, 9));
  return `${indent}${number === null ? '-' : `${number}.`} ${text.replace(/\s+/g, ' ').trim()}`;
}
