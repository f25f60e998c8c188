/** Returns the edit distance per character of the true text. */
export function characterErrorRate(read: string, truth: string): number {
  const [one, other] = [plain(read), plain(truth)];
  return other.length === 0 ? Number(one.length > 0) : editDistance(one, other) / other.length;
}

/** Collapses whitespace and replaces typographic characters with ASCII. */
const plain = (text: string): string[] => [
  ...text.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'").replace(/[—–]/g, '-').replace(/\s+/g, ' ').trim(),
];

/** Returns the word edit distance per true word, ignoring case and punctuation. */
export function wordErrorRate(heard: string, truth: string): number {
  const wanted = wordsOf(truth);
  return editDistance(wordsOf(heard), wanted) / wanted.length;
}

export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/[’]/g, "'")
      .match(/[a-z0-9']+/g) ?? []
  );
}

/** Returns the Levenshtein distance between two lists. */
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

/** Returns the share of the true words, as often as they occur, that were read; words end at spaces. */
export function wordsFound(read: string, truth: string): number {
  const wanted = spaced(truth);
  const left = new Map<string, number>();
  for (const word of spaced(read)) left.set(word, (left.get(word) ?? 0) + 1);
  let found = 0;
  for (const word of wanted) {
    const times = left.get(word) ?? 0;
    if (times === 0) continue;
    found += 1;
    left.set(word, times - 1);
  }
  return wanted.length === 0 ? 1 : found / wanted.length;
}

const spaced = (text: string) => text.toUpperCase().match(/[^\s|]+/g) ?? [];
