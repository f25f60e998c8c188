import { BSONRegExp, Int32 } from 'bson';
import { locationError, objectTooLarge } from '../errors.ts';
import { compileSearch } from '../query/regex.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { nearestDouble } from '../values/numbers.ts';
import { compareStrings, regexParts } from '../values/order.ts';
import { textOf } from './conversions.ts';
import { index, nullable, numeric, optional, present, text } from './kinds.ts';
import {
  type Frame,
  type Kind,
  MAKING,
  named,
  type Operator,
  type Operators,
  operator,
  typeOf,
  variadic,
} from './operator.ts';

/** What has a text where MongoDB takes texts leniently: null the empty one, numbers and dates as they are written. */
const LENIENT_TYPES = new Set<string>(['date', 'timestamp', 'symbol', 'int', 'long', 'double', 'decimal']);

const lenient: Kind<string> = {
  ...present(text(16007)),
  wanted: 'a string, a number or a date',
  accepts: (value) => value == null || typeof value === 'string' || LENIENT_TYPES.has(typeOf(value)),
  read: (value) => (typeof value === 'string' ? value : value == null ? '' : (textOf(value) as string)),
};

/** A number without its fraction. */
function truncated(code: number): Kind<number> {
  return { ...present(numeric(code)), read: (value) => Math.trunc(nearestDouble(value) as number) };
}

/** ASCII letters only, as MongoDB has it. */
function cased(apply: (letters: string) => string, letters: RegExp): Operator {
  return operator([lenient], ([value]) => value.replace(letters, apply));
}

function bounded(length: number): void {
  if (length > MAX_DOCUMENT_BYTES) throw objectTooLarge(`a text is over ${MAX_DOCUMENT_BYTES} bytes`);
}

const characters = (value: string): string[] => [...value];
const bytes = (value: string): Buffer => Buffer.from(value);

function indexOf(code: number, unitsOf: (value: string) => string[] | Buffer): Operator {
  const kinds = [text(code), present(text(code + 1)), optional(index), optional(index)] as const;
  return operator(kinds, ([value, searched, from = 0, to = Number.POSITIVE_INFINITY]) => {
    const [units, wanted] = [unitsOf(value), unitsOf(searched)];
    const last = Math.min(to, units.length) - wanted.length;
    for (let at = from; at <= last; at += 1) {
      if (wanted.every((unit: unknown, offset: number) => units[at + offset] === unit)) return new Int32(at);
    }
    return new Int32(-1);
  });
}

const substringOfBytes = operator([lenient, truncated(16034), truncated(16035)], ([value, from, length], { name }) => {
  const buffer = bytes(value);
  if (from < 0) throw locationError(50752, `${name}: starting index must be non-negative (got: ${from})`);
  const to = length < 0 ? buffer.length : Math.min(buffer.length, from + length);
  const isInside = (at: number): boolean => ((buffer[at] ?? 0) & 0xc0) === 0x80;
  if (isInside(from) || isInside(to)) {
    throw locationError(isInside(from) ? 28656 : 28657, `${name}: an index is in the middle of a UTF-8 character.`);
  }
  return buffer.subarray(Math.min(from, to), to).toString();
});

const substringOfCharacters = operator([lenient, truncated(34450), truncated(34452)], ([value, from, length]) => {
  if (from < 0) throw locationError(34455, '$substrCP: the starting index must be nonnegative integer.');
  if (length < 0) throw locationError(34454, '$substrCP: length must be a nonnegative integer.');
  return characters(value)
    .slice(from, from + length)
    .join('');
});

/** White space as `$trim` takes it off when it is given no characters. */
const whitespace = new Set(
  '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
);

function trimming(atStart: boolean, atEnd: boolean): Operator {
  const kinds = { input: text(50699), chars: optional(text(50700)) };
  return named(kinds, [50696, 50694, 50695], ({ input, chars }) => {
    const units = characters(input);
    const off = chars === undefined ? whitespace : new Set(characters(chars));
    let start = 0;
    let end = units.length;
    while (atStart && start < end && off.has(units[start] as string)) start += 1;
    while (atEnd && end > start && off.has(units[end - 1] as string)) end -= 1;
    return units.slice(start, end).join('');
  });
}

function replacing(replace: (input: string, find: string, replacement: string) => string): Operator {
  const kinds = { input: text(51746), find: text(51745), replacement: text(51744) };
  return named(kinds, [51751, 51750, 51749], ({ input, find, replacement }) => replace(input, find, replacement));
}

function replaceAll(input: string, find: string, replacement: string): string {
  const parts = input.split(find);
  bounded((input.length + parts.length * replacement.length) / 2);
  return parts.join(replacement);
}

interface Found {
  match: string;
  idx: Int32;
  captures: unknown[];
}

/** A pattern: as a text, or with options of its own. */
const pattern: Kind<{ pattern: string; options: string } | undefined> = nullable({
  ...text(51105),
  wanted: 'a string or a regular expression',
  accepts: (value) => typeof value === 'string' || value instanceof BSONRegExp,
  read: (value) => (typeof value === 'string' ? { pattern: value, options: '' } : regexParts(value)),
});

/** `$regexMatch`, `$regexFind` and `$regexFindAll`; the pattern may differ from document to document. */
function searching(collect: (found: Iterable<Found>) => unknown, otherwise: unknown): Operator {
  const kinds = { input: nullable(text(51104)), regex: pattern, options: optional(nullable(text(51106))) };
  return (argument, scope, name) => {
    let last = { pattern: '', options: '', search: compileSearch('', '') };
    const search = named(kinds, [51103, 31024, 31022], ({ input, regex, options = '' }) => {
      if (input === undefined || !regex) return otherwise;
      if (options !== '' && regex.options !== '')
        throw locationError(51107, `${name}: found regex options specified in both 'regex' and 'options' fields`);
      const wanted = { pattern: regex.pattern, options: regex.options || options };
      if (last.pattern !== wanted.pattern || last.options !== wanted.options) {
        last = { ...wanted, search: compileSearch(wanted.pattern, wanted.options) };
      }
      return collect(matches(input, last.search, scope.frame));
    });
    return search(argument, scope, name);
  };
}

function* matches(input: string, search: ReturnType<typeof compileSearch>, frame: Frame): Generator<Found> {
  let characterIndex = 0;
  let counted = 0;
  for (let from = 0; from <= input.length; ) {
    const found = search(input, from);
    if (!found) return;
    frame.spend(MAKING * 4);
    characterIndex += characters(input.slice(counted, found.index)).length;
    counted = found.index;
    from = found.index + found[0].length;
    if (found[0] === '') from += (input.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
    const captures = found.slice(1).map((capture) => capture ?? null);
    yield { match: found[0], idx: new Int32(characterIndex), captures };
  }
}

function first<T>(values: Iterable<T>): T | undefined {
  for (const value of values) return value;
  return undefined;
}

export const stringOperators: Operators = {
  $concat: variadic(text(16702), (texts) => {
    bounded(texts.reduce((length, part) => length + part.length, 0));
    return texts.join('');
  }),
  $indexOfBytes: indexOf(40091, bytes),
  $indexOfCP: indexOf(40093, characters),
  $ltrim: trimming(true, false),
  $regexFind: searching((found) => first(found) ?? null, null),
  $regexFindAll: searching((found) => [...found], []),
  $regexMatch: searching((found) => first(found) !== undefined, false),
  $replaceAll: replacing(replaceAll),
  $replaceOne: replacing((input, find, replacement) => input.replace(find, () => replacement)),
  $rtrim: trimming(false, true),
  $split: operator([text(40085), text(40086)], ([value, separator]) => {
    if (separator === '') throw locationError(40087, '$split requires a non-empty separator');
    return value.split(separator);
  }),
  $strLenBytes: operator([present(text(34473))], ([value]) => new Int32(Buffer.byteLength(value))),
  $strLenCP: operator([present(text(34471))], ([value]) => new Int32(characters(value).length)),
  $strcasecmp: operator(
    [lenient, lenient],
    ([left, right]) => new Int32(Math.sign(compareStrings(left.toUpperCase(), right.toUpperCase()))),
  ),
  $substr: substringOfBytes,
  $substrBytes: substringOfBytes,
  $substrCP: substringOfCharacters,
  $toLower: cased((letters) => letters.toLowerCase(), /[A-Z]+/g),
  $toUpper: cased((letters) => letters.toUpperCase(), /[a-z]+/g),
  $trim: trimming(true, true),
};
