/**
 * Column with each term of a row once, which the full-text index covers. Until a text is indexed, this engine does not
 * find its repeated terms.
 */
export const WORDS = 'words';

/** Column with all terms of a row in their order. */
export const TERMS = 'terms';

export const wordsOf = (terms: string): string => [...new Set(terms.split(' '))].join(' ');

/** The same in SQL. */
export const wordsIn = (terms: string): string =>
  `array_to_string(array_distinct(string_to_array(${terms}, ' ')), ' ')`;
