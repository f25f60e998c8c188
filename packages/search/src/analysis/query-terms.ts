import { analyse } from './analyse.ts';

/** More words than this don't make a question clearer; each costs a list to be read. */
const MAX_TERMS = 128;

/** What is looked for, as the index holds it: each term once. Empty where there is no word that could be found. */
export const queryTerms = (text: string): string =>
  [...new Set(analyse(text).split(' '))].slice(0, MAX_TERMS).join(' ');
