/**
 * The vector's share of a hit's score, by embedding model: what `npm run bench -- retrieval` found best on questions that people asked. The weaker a
 * model is, the less it may overrule the words: at an equal share a weak one makes the answers worse than none.
 */
const MEASURED: Record<string, number> = {
  'embedded/use-lite': 0.3,
};

/** Of models that were not measured here. Most of those that are to be had are better than the one above. */
const USUAL = 0.5;

/** Models that read English alone: of other scripts their vectors say nothing. */
const ENGLISH_ALONE = new Set(['embedded/use-lite']);

/**
 * What `find` is to be given as `weight`.
 * @param model `provider/model` of the vectors
 * @param question what is looked for
 */
export function fusionWeight(model: string, question: string): number {
  if (ENGLISH_ALONE.has(model) && !isMostlyLatin(question)) return 0;
  return MEASURED[model] ?? USUAL;
}

function isMostlyLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter));
  return latin.length * 2 > letters.length;
}
