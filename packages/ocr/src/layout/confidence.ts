/** The mean of the words', by their length; null where nobody tells. */
export function confidenceOf(words: readonly { text: string; confidence: number | null }[]): number | null {
  let sum = 0;
  let letters = 0;
  for (const { text, confidence } of words) {
    if (confidence === null) continue;
    sum += confidence * text.length;
    letters += text.length;
  }
  return letters === 0 ? null : Math.round((sum / letters) * 1_000) / 1_000;
}
