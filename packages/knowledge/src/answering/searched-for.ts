import { analyse } from '@chorus/search';

/** Of a longer question beginning and end are searched, in characters. */
const MAX_SEARCHED = 4_000;

/** A question with fewer terms of its own lives on what was asked before it, such as "And who built it?" */
const FEW_TERMS = 3;

const REFERS_BACK =
  /^(?:and|but|so|also|then|und|aber|et|mais|y|pero)\b|\b(?:it|its|he|she|him|her|his|they|them|their|that|this|those|these|there)\b/i;

/**
 * What is searched for a question: the question, and what was asked just before it where it could not be understood alone.
 *
 * @param before the conversation's question before this one; absent: there is none
 */
export function searchedFor(question: string, before?: string): string {
  const own = shortened(question);
  if (before === undefined) return own;
  const terms = new Set(analyse(own).split(' ').filter(Boolean));
  const dependent = terms.size < FEW_TERMS || (terms.size < 2 * FEW_TERMS && REFERS_BACK.test(own));
  return dependent ? `${own}\n${shortened(before)}` : own;
}

function shortened(text: string): string {
  const whole = text.trim();
  if (whole.length <= MAX_SEARCHED) return whole;
  return `${whole.slice(0, MAX_SEARCHED / 2)}\n${whole.slice(-MAX_SEARCHED / 2)}`.toWellFormed();
}
