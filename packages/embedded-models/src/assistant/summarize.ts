/** Limits how much is read, so that one message cannot block the process. */
const MAX_CHARACTERS = 100_000;
const MAX_SENTENCES = 5;

const STOP_WORDS = new Set(
  `about above after again all also and any are because been before being below between both but can could did does doing down
  during each few for from further had has have having her here hers him his how into its itself just more most not now off
  once only other our out over own same she should some such than that the their them then there these they this those through
  too under until very was were what when where which while who whom why will with would you your`.split(/\s+/),
);

/** Splits a text into sentences by Unicode's rules, each on one line. */
export function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  // A line break inside a paragraph is only layout, but an empty line ends a sentence.
  return text
    .slice(0, MAX_CHARACTERS)
    .split(/\n\s*\n/)
    .flatMap((paragraph) => [...segmenter.segment(paragraph.replace(/\s+/g, ' ').trim())])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/**
 * Picks the sentences with the most frequent words, preferring early ones.
 *
 * @returns a fifth of the sentences, between one and five, word for word and in order
 */
export function summarize(text: string): { sentences: string[]; of: number; whole: boolean } {
  const sentences = sentencesOf(text);
  const words = sentences.map((sentence) => contentWords(sentence));
  const frequency = new Map<string, number>();
  for (const list of words) for (const word of new Set(list)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = words.map((list, index) => {
    const weight = list.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0);
    // Normalizes by length, so that neither long nor short sentences are preferred.
    const density = weight / Math.max(4, list.length) ** 0.75;
    const place = index === 0 ? 1.5 : index < sentences.length * 0.1 ? 1.2 : index === sentences.length - 1 ? 1.1 : 1;
    return { index, score: density * place };
  });
  const count = Math.min(MAX_SENTENCES, Math.max(1, Math.round(sentences.length / 5)));
  const chosen = scored
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, count)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
  return {
    sentences: chosen.map((index) => sentences[index] ?? ''),
    of: sentences.length,
    whole: text.length <= MAX_CHARACTERS,
  };
}

function contentWords(sentence: string): string[] {
  return (sentence.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
}
