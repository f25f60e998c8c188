/** Insertions, deletions and replacements that lead from one list to another: Levenshtein's distance. */
export function editDistance(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, sign] of one.entries()) {
    const next = [index + 1];
    for (const [at, wanted] of other.entries()) {
      const replaced = (row[at] as number) + (sign === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
