import { toCardinal, toOrdinal } from 'n2words/en-US';

/** Replaces a pattern with its spoken form. */
export type Rule = [pattern: RegExp, said: string | ((match: string, ...groups: string[]) => string)];

/** A number as written: `1,234.5`, `12`, `.5`. */
export const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?(?!\d)|\d{1,30}(?:\.\d{1,20})?|\.\d{1,20})`;

/** Longer numbers are identifiers, read digit by digit. */
const MAX_DIGITS = 15;

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

export function digitsOf(text: string): string {
  return [...text].map((digit) => DIGITS[Number(digit)] ?? digit).join(' ');
}

/** Reads a number: `1,234.5` as "one thousand two hundred thirty-four point five". */
export function cardinal(written: string): string {
  const [whole = '', decimals] = written.replaceAll(',', '').split('.');
  const isCode = whole.length > MAX_DIGITS || (whole.length > 1 && whole.startsWith('0'));
  const read = whole === '' ? 'zero' : isCode ? digitsOf(whole) : toCardinal(Number(whole));
  return decimals === undefined ? read : `${read} point ${digitsOf(decimals)}`;
}

export function ordinal(written: string): string {
  const number = Number(written.replaceAll(',', ''));
  return Number.isSafeInteger(number) && number > 0 ? toOrdinal(number) : cardinal(written);
}

export const isOne = (written: string) => Number(written.replaceAll(',', '')) === 1;

/** Reads four digits as a year: `1905` as "nineteen oh five". */
export function year(written: string): string {
  const number = Number(written);
  const [century, rest] = [Math.floor(number / 100), number % 100];
  if (written.length !== 4 || number % 1_000 < 10) return cardinal(written);
  if (rest === 0) return `${toCardinal(century)} hundred`;
  return `${toCardinal(century)} ${rest < 10 ? `oh ${DIGITS[rest]}` : toCardinal(rest)}`;
}

/** `90` as "nineties". */
export function decade(written: string): string {
  return year(written)
    .replace(/y$/, 'ies')
    .replace(/(?<=hundred|ten|teen|thousand)$/, 's');
}

const NAMED_PARTS: Record<number, string> = { 2: 'half', 4: 'quarter' };

/** `3`, `4` as "three quarters". */
export function fraction(above: string, below: string): string {
  const part = NAMED_PARTS[Number(below)] ?? ordinal(below);
  const parts = part === 'half' ? 'halves' : `${part}s`;
  return `${cardinal(above)} ${isOne(above) ? part : parts}`;
}
