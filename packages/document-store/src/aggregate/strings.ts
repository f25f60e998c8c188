import { BSONRegExp, Int32 } from 'bson';
import { locationError, objectTooLarge } from '../errors.ts';
import { compileSearch } from '../query/regex.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { compareStrings, regexParts } from '../values/order.ts';
import { typeName } from '../values/types.ts';
import { textOf } from './conversions.ts';
import {
  int32Of,
  MAKING,
  named,
  type Operator,
  operator,
  type Scope,
  strict,
  stringArgument,
  typeOf,
} from './operator.ts';

const ANY = Number.POSITIVE_INFINITY;

/** What stands for a value where MongoDB takes texts leniently: null as the empty one, numbers and dates as they are written. */
function coerced(value: unknown): string {
  if (value == null) return '';
  if (typeof value === 'string') return value;
  if (isNumber(value) || value instanceof Date || typeName(value) === 'timestamp' || typeName(value) === 'symbol')
    return textOf(value) as string;
  throw locationError(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

/** ASCII letters only, as MongoDB has it. */
function cased(apply: (letters: string) => string, letters: RegExp): Operator {
  return operator(1, 1, ([value]) => coerced(value).replace(letters, apply));
}

function bounded(text: string): string {
  if (text.length > MAX_DOCUMENT_BYTES) throw objectTooLarge(`a text is over ${MAX_DOCUMENT_BYTES} bytes`);
  return text;
}

function indexOf(code: number, unitsOf: (text: string) => string[] | Buffer): Operator {
  return operator(2, 4, ([text, searched, from, to], name) => {
    if (text == null) return null;
    const units = unitsOf(stringArgument(text, code, `${name}'s first argument`));
    const wanted = unitsOf(stringArgument(searched, code + 1, `${name}'s second argument`));
    const bound = (value: unknown, otherwise: number): number => {
      if (value === undefined) return otherwise;
      const index = int32Of(value, 40096, `${name} index`);
      if (index < 0) throw locationError(40097, `${name} requires a nonnegative index, found: ${index}`);
      return index;
    };
    const last = Math.min(bound(to, units.length), units.length) - wanted.length;
    for (let at = bound(from, 0); at <= last; at += 1) {
      if (wanted.every((unit: unknown, offset: number) => units[at + offset] === unit)) return new Int32(at);
    }
    return new Int32(-1);
  });
}

const characters = (text: string): string[] => [...text];
const bytes = (text: string): Buffer => Buffer.from(text);

function place(value: unknown, code: number, what: string): number {
  if (!isNumber(value)) throw locationError(code, `${what} must be a numeric type (is BSON type ${typeOf(value)})`);
  return Math.trunc(nearestDouble(value) as number);
}

function substringOfBytes([value, start, count]: unknown[], name: string): unknown {
  const buffer = bytes(coerced(value));
  const from = place(start, 16034, `${name}: starting index`);
  const length = place(count, 16035, `${name}: length`);
  if (from < 0) throw locationError(50752, `${name}: starting index must be non-negative (got: ${from})`);
  const to = length < 0 ? buffer.length : Math.min(buffer.length, from + length);
  for (const [end, code] of [
    [from, 28656],
    [to, 28657],
  ] as const) {
    if (((buffer[end] ?? 0) & 0xc0) === 0x80) {
      throw locationError(
        code,
        `${name}: Invalid range, ${code === 28656 ? 'starting' : 'ending'} index is in the middle of a UTF-8 character.`,
      );
    }
  }
  return buffer.subarray(Math.min(from, to), to).toString();
}

function substringOfCharacters([value, start, count]: unknown[], name: string): unknown {
  const from = place(start, 34450, `${name}: starting index`);
  const length = place(count, 34452, `${name}: length`);
  if (from < 0) throw locationError(34455, `${name}: the starting index must be nonnegative integer.`);
  if (length < 0) throw locationError(34454, `${name}: length must be a nonnegative integer.`);
  return characters(coerced(value))
    .slice(from, from + length)
    .join('');
}

/** White space as `$trim` takes it off when it is given no characters. */
const whitespace = new Set(
  '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
);

function trimming(atStart: boolean, atEnd: boolean): Operator {
  return named(['input', 'chars?'], [50696, 50694, 50695], (values, name) => {
    const { input, chars } = values;
    if (input == null || ('chars' in values && chars == null)) return null;
    const text = characters(stringArgument(input, 50699, `${name}'s input`));
    const off = chars === undefined ? whitespace : new Set(stringArgument(chars, 50700, `${name}'s chars`));
    let start = 0;
    let end = text.length;
    while (atStart && start < end && off.has(text[start] as string)) start += 1;
    while (atEnd && end > start && off.has(text[end - 1] as string)) end -= 1;
    return text.slice(start, end).join('');
  });
}

function replacing(replace: (text: string, find: string, replacement: string) => string): Operator {
  return named(['input', 'find', 'replacement'], [51751, 51750, 51749], ({ input, find, replacement }, name) => {
    const texts = [input, find, replacement].map((value, at) =>
      value == null
        ? undefined
        : stringArgument(value, 51746 - at, `${name}'s ${['input', 'find', 'replacement'][at]}`),
    );
    const [text, searched, other] = texts;
    if (text === undefined || searched === undefined || other === undefined) return null;
    return replace(text, searched, other);
  });
}

function replaceAll(text: string, find: string, replacement: string): string {
  const parts = text.split(find);
  if (text.length + parts.length * replacement.length > 2 * MAX_DOCUMENT_BYTES)
    bounded(''.padEnd(MAX_DOCUMENT_BYTES + 1));
  return parts.join(replacement);
}

interface Found {
  match: string;
  idx: Int32;
  captures: unknown[];
}

/** `$regexMatch`, `$regexFind` and `$regexFindAll`; the pattern may differ from document to document. */
function searching(collect: (next: () => Found | null) => unknown, otherwise: unknown): Operator {
  return (argument, scope, name) => {
    let last: { pattern: string; options: string; search: ReturnType<typeof compileSearch> } | undefined;
    const search: Operator = named(['input', 'regex', 'options?'], [51103, 31024, 31022], (values) => {
      const { pattern, options } = patternOf(values.regex, values.options, name);
      if (values.input == null || pattern === undefined) return otherwise;
      const text = stringArgument(values.input, 51104, `${name} needs 'input' to be of type string: it`);
      if (last?.pattern !== pattern || last.options !== options) {
        last = { pattern, options, search: compileSearch(pattern, options) };
      }
      return collect(finder(text, last.search, scope));
    });
    return search(argument, scope, name);
  };
}

function finder(text: string, search: ReturnType<typeof compileSearch>, scope: Scope): () => Found | null {
  let from = 0;
  let counted = 0;
  let characterIndex = 0;
  return () => {
    const found = from > text.length ? null : search(text, from);
    if (!found) return null;
    scope.frame.spend(MAKING * 4);
    characterIndex += characters(text.slice(counted, found.index)).length;
    counted = found.index;
    from = found.index + found[0].length;
    if (found[0] === '') from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
    return {
      match: found[0],
      idx: new Int32(characterIndex),
      captures: found.slice(1).map((capture) => capture ?? null),
    };
  };
}

function patternOf(regex: unknown, options: unknown, name: string): { pattern: string | undefined; options: string } {
  if (options != null && typeof options !== 'string')
    throw locationError(51106, `${name} needs 'options' to be of type string`);
  if (regex == null) return { pattern: undefined, options: '' };
  if (typeof regex === 'string') return { pattern: regex, options: options ?? '' };
  if (!(regex instanceof BSONRegExp)) throw locationError(51105, `${name} needs 'regex' to be of type string or regex`);
  const parts = regexParts(regex);
  if (options && parts.options !== '')
    throw locationError(51107, `${name}: found regex options specified in both 'regex' and 'options' fields`);
  return { pattern: parts.pattern, options: parts.options || (options ?? '') };
}

export const stringOperators: Readonly<Record<string, Operator>> = {
  $concat: strict(0, ANY, (values) =>
    bounded(
      values.reduce<string>((text, value) => {
        if (typeof value !== 'string')
          throw locationError(16702, `$concat only supports strings, not ${typeOf(value)}`);
        return text + value;
      }, ''),
    ),
  ),
  $indexOfBytes: indexOf(40091, bytes),
  $indexOfCP: indexOf(40093, characters),
  $ltrim: trimming(true, false),
  $regexFind: searching((next) => next(), null),
  $regexFindAll: searching((next) => {
    const all: Found[] = [];
    for (let found = next(); found; found = next()) all.push(found);
    return all;
  }, []),
  $regexMatch: searching((next) => next() !== null, false),
  $replaceAll: replacing(replaceAll),
  $replaceOne: replacing((text, find, replacement) => text.replace(find, () => replacement)),
  $rtrim: trimming(false, true),
  $split: strict(2, 2, ([text, separator]) => {
    const whole = stringArgument(text, 40085, "$split's first argument");
    const between = stringArgument(separator, 40086, "$split's second argument");
    if (between === '') throw locationError(40087, '$split requires a non-empty separator');
    return whole.split(between);
  }),
  $strLenBytes: operator(1, 1, ([text]) => new Int32(Buffer.byteLength(stringArgument(text, 34473, '$strLenBytes')))),
  $strLenCP: operator(1, 1, ([text]) => new Int32(characters(stringArgument(text, 34471, '$strLenCP')).length)),
  $strcasecmp: operator(
    2,
    2,
    ([left, right]) => new Int32(Math.sign(compareStrings(coerced(left).toUpperCase(), coerced(right).toUpperCase()))),
  ),
  $substr: operator(3, 3, substringOfBytes),
  $substrBytes: operator(3, 3, substringOfBytes),
  $substrCP: operator(3, 3, substringOfCharacters),
  $toLower: cased((letters) => letters.toLowerCase(), /[A-Z]+/g),
  $toUpper: cased((letters) => letters.toUpperCase(), /[a-z]+/g),
  $trim: trimming(true, true),
};
