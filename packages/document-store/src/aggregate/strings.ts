import { BSONRegExp, Int32 } from 'bson';
import { locationError, objectTooLarge } from '../errors.ts';
import { compileSearch, type RegexSearch } from '../query/regex.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { compareStrings, regexParts } from '../values/order.ts';
import { textOf } from './conversions.ts';
import {
  namedOperator,
  nonNull,
  nullable,
  type Operator,
  type Operators,
  operator,
  optional,
  type Parameter,
  text,
  typeOrMissing,
  variadicOperator,
  wholeNumber,
} from './operator.ts';
import { type Frame, STEPS_PER_ELEMENT } from './scope.ts';

/** Types that operators accept as strings. Null counts as an empty string. */
const STRING_LIKE_TYPES = new Set<string>(['date', 'timestamp', 'symbol', 'int', 'long', 'double', 'decimal']);

const stringLike: Parameter<string> = {
  ...nonNull(text(16007)),
  expected: 'a string, a number, or a date',
  accepts: (value) => value == null || typeof value === 'string' || STRING_LIKE_TYPES.has(typeOrMissing(value)),
  read: (value) => (value == null ? '' : (textOf(value) as string)),
};

function checkLength(length: number): void {
  if (length > MAX_DOCUMENT_BYTES) throw objectTooLarge(`a string exceeds ${MAX_DOCUMENT_BYTES} bytes`);
}

const codePoints = (value: string): string[] => [...value];

function checkNotNegative(values: number[], code: number, name: string): void {
  if (values.some((value) => value < 0)) throw locationError(code, `${name}: indexes and lengths must not be negative`);
}

const $indexOfCP = operator(
  [text(40093), nonNull(text(40094)), optional(wholeNumber(40096)), optional(wholeNumber(40096))],
  ([value, searched, from = 0, to = Number.POSITIVE_INFINITY], { name }) => {
    checkNotNegative([from, to], 40097, name);
    const [units, wanted] = [codePoints(value), codePoints(searched)];
    const last = Math.min(to, units.length) - wanted.length;
    for (let at = from; at <= last; at += 1) {
      if (wanted.every((unit, offset) => units[at + offset] === unit)) return new Int32(at);
    }
    return new Int32(-1);
  },
);

/** Counts UTF-8 bytes. A negative length means the rest. */
const $substrBytes = operator(
  [stringLike, nonNull(wholeNumber(16034)), nonNull(wholeNumber(16035))],
  ([value, from, length], { name }) => {
    checkNotNegative([from], 50752, name);
    const bytes = Buffer.from(value);
    const to = length < 0 ? bytes.length : Math.min(bytes.length, from + length);
    const isInside = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
    if (isInside(from) || isInside(to))
      throw locationError(28656, `${name}: an index is in the middle of a UTF-8 character.`);
    return bytes.subarray(Math.min(from, to), to).toString();
  },
);

const $substrCP = operator(
  [stringLike, nonNull(wholeNumber(34450)), nonNull(wholeNumber(34452))],
  ([value, from, length], { name }) => {
    checkNotNegative([from, length], 34455, name);
    return codePoints(value)
      .slice(from, from + length)
      .join('');
  },
);

const WHITESPACE = '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

function trimOperator(atStart: boolean, atEnd: boolean): Operator {
  return namedOperator({ input: text(50699), chars: optional(text(50700)) }, ({ input, chars = WHITESPACE }) => {
    const units = codePoints(input);
    const off = new Set(codePoints(chars));
    let start = 0;
    let end = units.length;
    while (atStart && start < end && off.has(units[start] as string)) start += 1;
    while (atEnd && end > start && off.has(units[end - 1] as string)) end -= 1;
    return units.slice(start, end).join('');
  });
}

const replacement = { input: text(51746), find: text(51745), replacement: text(51744) };

interface RegexMatch {
  match: string;
  idx: Int32;
  captures: unknown[];
}

const pattern: Parameter<{ pattern: string; options: string } | undefined> = nullable({
  ...text(51105),
  expected: 'a string or a regular expression',
  accepts: (value) => typeof value === 'string' || value instanceof BSONRegExp,
  read: (value) => (typeof value === 'string' ? { pattern: value, options: '' } : regexParts(value)),
});

function regexOperator(collect: (found: Iterator<RegexMatch>) => unknown, otherwise: unknown): Operator {
  const parameters = { input: nullable(text(51104)), regex: pattern, options: optional(nullable(text(51106))) };
  return (argument, scope, operatorName) => {
    let last = { pattern: '', options: '', search: compileSearch('', '') };
    const search = namedOperator(parameters, ({ input, regex, options = '' }, { name, frame }) => {
      if (input === undefined || !regex) return otherwise;
      if (options !== '' && regex.options !== '') throw locationError(51107, `${name}: regex options are given twice`);
      const wanted = { pattern: regex.pattern, options: regex.options || options };
      if (last.pattern !== wanted.pattern || last.options !== wanted.options) {
        last = { ...wanted, search: compileSearch(wanted.pattern, wanted.options) };
      }
      return collect(findMatches(input, last.search, frame));
    });
    return search(argument, scope, operatorName);
  };
}

function* findMatches(input: string, search: RegexSearch, frame: Frame): Generator<RegexMatch> {
  let characterIndex = 0;
  let counted = 0;
  for (let from = 0; from <= input.length; ) {
    const found = search(input, from);
    if (!found) return;
    frame.spend(STEPS_PER_ELEMENT * 4);
    characterIndex += codePoints(input.slice(counted, found.index)).length;
    counted = found.index;
    from = found.index + found[0].length;
    if (found[0] === '') from += (input.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
    const captures = found.slice(1).map((capture) => capture ?? null);
    yield { match: found[0], idx: new Int32(characterIndex), captures };
  }
}

export const stringOperators: Operators = {
  $concat: variadicOperator(text(16702), (texts) => {
    checkLength(texts.reduce((length, part) => length + part.length, 0));
    return texts.join('');
  }),
  $indexOfCP,
  $ltrim: trimOperator(true, false),
  $regexFind: regexOperator((found) => found.next().value ?? null, null),
  $regexFindAll: regexOperator((found) => Array.from({ [Symbol.iterator]: () => found }), []),
  $regexMatch: regexOperator((found) => !found.next().done, false),
  $replaceAll: namedOperator(replacement, ({ input, find, replacement }) => {
    const parts = input.split(find);
    checkLength((input.length + parts.length * replacement.length) / 2);
    return parts.join(replacement);
  }),
  $replaceOne: namedOperator(replacement, ({ input, find, replacement }) => input.replace(find, () => replacement)),
  $rtrim: trimOperator(false, true),
  $split: operator([text(40085), text(40086)], ([value, separator]) => {
    if (separator === '') throw locationError(40087, '$split requires a non-empty separator');
    return value.split(separator);
  }),
  $strLenBytes: operator([nonNull(text(34473))], ([value]) => new Int32(Buffer.byteLength(value))),
  $strLenCP: operator([nonNull(text(34471))], ([value]) => new Int32(codePoints(value).length)),
  $strcasecmp: operator([stringLike, stringLike], ([left, right]) => {
    return new Int32(Math.sign(compareStrings(left.toUpperCase(), right.toUpperCase())));
  }),
  $substr: $substrBytes,
  $substrBytes,
  $substrCP,
  // MongoDB converts only ASCII letters.
  $toLower: operator([stringLike], ([value]) => value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  $toUpper: operator([stringLike], ([value]) => value.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  $trim: trimOperator(true, true),
};
