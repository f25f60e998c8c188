/** Of longer texts only so much is read, so that one message can't hold the process. */
const MAX_CHARACTERS = 100_000;
const MAX_SENTENCES = 5;

// Words that say nothing of what a text is about.
const STOP_WORDS = new Set(
  `about above after again all also and any are because been before being below between both but can could did does doing down
  during each few for from further had has have having her here hers him his how into its itself just more most not now off
  once only other our out over own same she should some such than that the their them then there these they this those through
  too under until very was were what when where which while who whom why will with would you your`.split(/\s+/),
);

/** The sentences of a text, as Unicode's rules find them, each on one line. */
export function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  // Line breaks inside a paragraph are layout; an empty line ends a sentence.
  return text
    .slice(0, MAX_CHARACTERS)
    .split(/\n\s*\n/)
    .flatMap((paragraph) => [...segmenter.segment(paragraph.replace(/\s+/g, ' ').trim())])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/**
 * The sentences that carry a text, word for word and in their order: those with its most frequent words, the first ones favoured.
 * @returns a fifth of the sentences, one at least and five at most
 */
export function summarize(text: string): { sentences: string[]; of: number; whole: boolean } {
  const sentences = sentencesOf(text);
  const words = sentences.map((sentence) => contentWords(sentence));
  const frequency = new Map<string, number>();
  for (const list of words) for (const word of new Set(list)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = words.map((list, index) => {
    const weight = list.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0);
    // Divided by more than the root of the length and less than the length: neither long nor short ones win by that alone.
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
