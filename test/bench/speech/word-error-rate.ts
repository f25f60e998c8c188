import { editDistance } from '../edit-distance.ts';

/** Words that were added, left out or taken for others, for each word of the truth; neither case nor punctuation counts. */
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
