import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChorusError } from './errors/index.ts';
import { JSON_LIMITS, JsonScan, scanJson } from './json-scan.ts';

const { depth, fields, elements, nodes } = JSON_LIMITS;

/** Returns why a text in chunks of `size` bytes is refused. Undefined: it is accepted. */
function refusal(text: string, size = 65_536): { code: string; message: string } | undefined {
  const scan = new JsonScan();
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += size) scan.push(bytes.subarray(at, at + size));
    return undefined;
  } catch (error) {
    if (error instanceof ChorusError) return { code: error.code, message: error.message };
    throw error;
  }
}

const list = (length: number, element = '0') => `[${Array(length).fill(element).join()}]`;
const object = (length: number) => `{${Array.from({ length }, (_, at) => `"f${at}":0`).join()}}`;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe.each([1, 7, 65_536])('in chunks of %d bytes', (size) => {
  test.each<[string, string, string]>([
    ['levels', nested(depth), nested(depth + 1)],
    ['fields of an object', object(fields), object(fields + 1)],
    ['elements of an array', list(elements), list(elements + 1)],
    ['values in all', list(3, list(16_000)), list(4, list(16_000))],
    [
      'fields after a nested value',
      `{"a":${list(9)},${object(fields - 1).slice(1)}`,
      `{"a":[],${object(fields).slice(1)}`,
    ],
  ])('%s are limited', (_name, allowed, refused) => {
    expect(refusal(allowed, size)).toBeUndefined();
    expect(refusal(refused, size)?.code).toBe('invalid_request');
  });

  test.each([
    ['structure within strings', JSON.stringify([`${'[{,:'.repeat(nodes)}"\\`])],
    ['pairs of surrogates', '"\\ud83d\\uDE00\\\\ud83d \\u005cud83d \\ud7ff"'],
    ['invalid JSON', '}]}]]]] nothing \\ud83d'],
    ['nothing', ''],
  ])('accepts %s', (_name, text) => {
    expect(refusal(text, size)).toBeUndefined();
  });

  test.each([
    ['the first half', '"a\\ud83d"'],
    ['the second half', '"a\\n\\uDE00"'],
    ['halves apart', '"\\ud83d\\n\\ude00"'],
    ['two first halves', '"\\ud83d\\ud83d\\ude00"'],
    ['in a name', '{"\\ud83d": 1}'],
  ])('refuses a lone surrogate: %s', (_name, text) => {
    expect(refusal(text, size)?.code).toBe('invalid_json');
  });
});

test('accepts any JSON within the limits, and finds the lone surrogates that JSON.parse returns', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 1, max: 9 }), (text, size) => {
      const isWhole = !/\\ud[89a-f]/.test(JSON.stringify(JSON.parse(text)));
      expect(refusal(text, size) === undefined).toBe(isWhole);
    }),
  );
});

test('names the text and the limits in the error', () => {
  const name = { what: 'Line 7', path: 'body.items.6' };
  const thrown = () => scanJson(nested(100), name);
  expect(thrown).toThrow(/^Line 7 has more than 64 levels; at most 64 levels, 2000 fields/);
  try {
    thrown();
  } catch (error) {
    expect((error as ChorusError).details[0]?.path).toBe('body.items.6');
  }
});
