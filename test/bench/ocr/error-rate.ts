import { editDistance } from '../edit-distance.ts';

/** Insertions, deletions and replacements that lead from what was read to what is true, for each character of the truth. */
export function characterErrorRate(read: string, truth: string): number {
  const [one, other] = [plain(read), plain(truth)];
  return other.length === 0 ? Number(one.length > 0) : editDistance(one, other) / other.length;
}

/** Whitespace counts once; typographic signs count as those of a typewriter. */
const plain = (text: string): string[] => [
  ...text.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'").replace(/[—–]/g, '-').replace(/\s+/g, ' ').trim(),
];
