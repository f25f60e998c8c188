import { languageOf } from '@chorus/search';

/**
 * Weight of the vector score by embedding model, as measured by `npm run bench -- retrieval` on real questions.
 * A weak model with too much weight makes answers worse than no model.
 */
const MEASURED_WEIGHTS: Record<string, number> = {
  'embedded/use-lite': 0.4,
};

/** Weight of other models, most of which are better than the one above. */
const DEFAULT_WEIGHT = 0.5;

/** Models whose vectors only work for English. */
const ENGLISH_ONLY = new Set(['embedded/use-lite']);

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
  const language = languageOf(text);
  return language === null || language === 'en';
}
