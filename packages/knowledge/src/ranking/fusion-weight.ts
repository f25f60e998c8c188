/**
 * The vector's share of a hit's score, by embedding model: what `npm run bench -- retrieval` found best on questions that people asked. The weaker a
 * model is, the less it may overrule the words: at an equal share a weak one makes the answers worse than none.
 */
const MEASURED: Record<string, number> = {
  'embedded/use-lite': 0.4,
};

/** Of models that were not measured here. Most of those that are to be had are better than the one above. */
const USUAL = 0.5;

/** Models that read English alone: of other languages their vectors say nothing. */
const ENGLISH_ALONE = new Set(['embedded/use-lite']);

/** Small words that stand in most questions of a language, and in few of the others. */
const ENGLISH = new Set('the of is are were what who when where which how why to and does did it that this'.split(' '));
const OTHERS = new Set(
  (
    'der das und ist sind wer wie wo wann warum welche welcher welches wurde nicht ein eine für mit auf von den dem ' +
    'le la les des est et une qui quand où quel quelle dans pour avec du au comment el los las y es qué quién cuándo ' +
    'dónde cuál cómo con del por il gli che è chi quando dove quale di uma quem onde qual para com da het een wie wat waar van'
  ).split(' '),
);

/**
 * What `find` is to be given as `weight`.
 * @param model `provider/model` of the vectors
 * @param question what is looked for
 */
export function fusionWeight(model: string, question: string): number {
  if (ENGLISH_ALONE.has(model) && !mayBeEnglish(question)) return 0;
  return MEASURED[model] ?? USUAL;
}

/** Only what surely is of another language is not. */
function mayBeEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter));
  if (latin.length * 2 <= letters.length) return false;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const among = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length;
  // One may be part of a name.
  return among(OTHERS) < 2 || among(OTHERS) <= among(ENGLISH);
}
