import { ADDRESSES } from './addresses.ts';
import { AMOUNTS, PLAIN_NUMBERS } from './amounts.ts';
import { MOMENTS } from './moments.ts';
import { ACRONYMS, NAMES } from './names.ts';
import type { Rule } from './numbers.ts';

/** Signs that NFKC would change. */
const BEFORE_NFKC: Rule[] = [
  [/²/g, '^2'],
  [/³/g, '^3'],
  [/[™©®℠]/g, ''],
  [/(?<=\d)(?=[¼-¾⅐-⅞])/g, ' '],
  [/(?<![\w.,'])(\d)['′’](\d{1,2})(?:["″”]|'')/g, '$1 foot $2'],
  [/(?<=\d)(?:″|["”](?=\s(?:x|by|×|screen|display|monitor|tall|wide|long|deep|thick)\b))/g, ' inches'],
];
const SIGNS: Rule[] = [
  [/\s?(?:→|⇒|->|=>)\s?/g, ' to '],
  [/\s?&\s?/g, ' and '],
  [/(?<=\w)@(?=\w)/g, ' at '],
  [/°/g, ' degrees '],
  [/%/g, ' percent '],
  [/\band\/or\b/gi, 'and or'],
  [/(?<=\w)\/(?=\w)/g, ' or '],
  [/(?<=\b[A-Z]{1,5})-(?=[A-Z]\b)/g, ' '],
  [/\s\/\s|\//g, ' slash '],
  // A name in camel case, such as GitHub.
  [/(?<=\b(?!Ma?c\p{Lu})[\p{L}]*\p{Ll})(?=\p{Lu})/gu, ' '],
  [/[*_`~#|<>^{}[\]\\]+/g, ' '],
  [/\s[–—-]+\s|[–—]/g, ' — '],
  [/[()]/g, ', '],
];
const PLAIN_QUOTES = /[“”„«»"]/g;
const APOSTROPHES = /[‘’ʼ´]/g;
const MARKS = /\p{M}+/gu;
const NOT_SAID = /[^\p{Script=Latin}\p{N}\s.,;:!?…—'-]+/gu;

const RULES: Rule[] = [...ADDRESSES, ...MOMENTS, ...NAMES, ...AMOUNTS, ...SIGNS, ...PLAIN_NUMBERS, ...ACRONYMS];

/** Converts a text to its spoken form, with numbers and abbreviations in words. English only. */
export function spokenText(text: string): string {
  let said = apply(BEFORE_NFKC, text).normalize('NFKC').replaceAll('⁄', '/');
  said = said.replace(APOSTROPHES, "'").replace(PLAIN_QUOTES, '');
  said = apply(RULES, said);
  said = said.normalize('NFD').replace(MARKS, '').normalize('NFC').replace(NOT_SAID, ' ');
  said = said
    .replace(/\s+/g, ' ')
    .replace(/\s+(?=[.,;:!?…])/g, '')
    .replace(/([,;:])[,;:]+/g, '$1')
    .replace(/,(?=[.!?…])/g, '')
    .replace(/^[\s,;:.]+/, '')
    .trim();
  // The period of an abbreviation may also end the text.
  return /\.\s*$/.test(text) && /\w$/.test(said) ? `${said}.` : said;
}

function apply(rules: readonly Rule[], text: string): string {
  let said = text;
  // The types of `replace` distinguish strings and functions.
  for (const [pattern, words] of rules)
    said = typeof words === 'string' ? said.replace(pattern, words) : said.replace(pattern, words);
  return said;
}
