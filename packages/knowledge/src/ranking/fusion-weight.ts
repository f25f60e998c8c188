/**
 * Weight of the vector score by embedding model, as measured by `npm run bench -- retrieval` on real questions.
 * A weak model with too much weight makes answers worse than no model.
 */
const MEASURED_WEIGHTS: Record<string, number> = {
  'embedded/use-lite': 0.4,
};

/** Default for other models, most of which are better than the one above. */
const DEFAULT_WEIGHT = 0.5;

/** Models whose vectors only work for English. */
const ENGLISH_ONLY = new Set(['embedded/use-lite']);

/** Frequent words that are specific to a language. */
const ENGLISH = new Set('the of is are were what who when where which how why to and does did it that this'.split(' '));
const OTHERS = new Set(
  (
    'der das und ist sind wer wie wo wann warum welche welcher welches wurde nicht ein eine für mit auf von den dem ' +
    'le la les des est et une qui quand où quel quelle dans pour avec du au comment el los las y es qué quién cuándo ' +
    'dónde cuál cómo con del por il gli che è chi quando dove quale di uma quem onde qual para com da het een wie wat waar van'
  ).split(' '),
);

/**
 * Returns the `weight` for `find`.
 *
 * @param model `provider/model` of the vectors
 * @param question the search text
 */
export function fusionWeight(model: string, question: string): number {
  if (ENGLISH_ONLY.has(model) && !mayBeEnglish(question)) return 0;
  return MEASURED_WEIGHTS[model] ?? DEFAULT_WEIGHT;
}

function mayBeEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter));
  if (latin.length * 2 <= letters.length) return false;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const among = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length;
  // A single word may be part of a name.
  return among(OTHERS) < 2 || among(OTHERS) <= among(ENGLISH);
}
