import { analyze } from '@chorus/search';

/** Number of characters of a long question to search for, from its beginning and end. */
const MAX_SEARCH_TEXT = 4_000;

/** Questions with fewer terms depend on the previous one, such as "And who built it?" */
const FEW_TERMS = 3;

const REFERS_BACK =
  /^(?:and|but|so|also|then|und|aber|et|mais|y|pero)\b|\b(?:it|its|he|she|him|her|his|they|them|their|that|this|those|these|there)\b/i;

/**
 * Returns the search text of a question, with the previous question if it needs context.
 *
 * @param before the previous question of the conversation
 */
export function searchTextFor(question: string, before?: string): string {
  const own = shortened(question);
  if (before === undefined) return own;
  const terms = new Set(analyze(own).split(' ').filter(Boolean));
  const dependent = terms.size < FEW_TERMS || (terms.size < 2 * FEW_TERMS && REFERS_BACK.test(own));
  return dependent ? `${own}\n${shortened(before)}` : own;
}

function shortened(text: string): string {
  const whole = text.trim();
  if (whole.length <= MAX_SEARCH_TEXT) return whole;
  return `${whole.slice(0, MAX_SEARCH_TEXT / 2)}\n${whole.slice(-MAX_SEARCH_TEXT / 2)}`.toWellFormed();
}
