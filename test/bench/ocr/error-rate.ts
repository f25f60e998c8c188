/** Insertions, deletions and replacements that lead from what was read to what is true, for each character of the truth. */
export function characterErrorRate(read: string, truth: string): number {
  const [one, other] = [plain(read), plain(truth)];
  return other.length === 0 ? Number(one.length > 0) : distance(one, other) / other.length;
}

/** Whitespace counts once; typographic signs count as those of a typewriter. */
const plain = (text: string): string[] => [
  ...text.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'").replace(/[—–]/g, '-').replace(/\s+/g, ' ').trim(),
];

/** Levenshtein's. */
function distance(one: readonly string[], other: readonly string[]): number {
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
