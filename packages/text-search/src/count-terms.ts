import { analysedSlices } from '@chorus/search';

/** How many of the terms a text holds. */
export async function countTerms(text: string, wanted: ReadonlySet<string>): Promise<number> {
  const found = new Set<string>();
  for await (const slice of analysedSlices(text)) {
    for (const term of slice.split(' ')) if (wanted.has(term)) found.add(term);
    if (found.size === wanted.size) break;
  }
  return found.size;
}
