import { analysedSlices } from '../analysis/analysed-slices.ts';

/** In a text that is longer, in characters, how often it says a word tells nothing any more: each term is kept once. */
const LONG_CHARS = 200_000;

/** More terms are kept of no text: a book has 30,000. */
const MAX_TERMS = 500_000;

/** What is indexed of a text, in little memory however long it is. */
export async function termsOf(text: string): Promise<string> {
  if (text.length <= LONG_CHARS) return (await Array.fromAsync(analysedSlices(text))).join(' ');
  const terms = new Set<string>();
  for await (const slice of analysedSlices(text)) {
    for (const term of slice.split(' ')) terms.add(term);
    if (terms.size > MAX_TERMS) break;
  }
  return [...terms].join(' ');
}
