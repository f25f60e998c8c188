import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_ISSUES, parseBounded } from '../bounded.ts';
import { describeIssues } from '../describe-issues.ts';

function refusals(schema: z.ZodType, value: unknown): string[] {
  const { error } = parseBounded(schema, value);
  return describeIssues(error?.issues ?? [], 'body').map(({ path, message }) => `${path}: ${message}`);
}

const refusal = (schema: z.ZodType, value: unknown) => refusals(schema, value)[0]?.replace(/^body: /, '');

const day = (text: string) => new Date(`${text}T00:00:00.000Z`);

test.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is required'],
  [z.string(), 5, 'must be a string'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.number(), 'a', 'must be a number'],
  [z.number(), Number.POSITIVE_INFINITY, 'must be a finite number'],
  [z.number().min(0).max(2), '1', 'must be a number between 0 and 2'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int().min(1).max(10), 'a', 'must be a whole number between 1 and 10'],
  [z.coerce.number().int().min(1).max(10), 'a', 'must be a whole number between 1 and 10'],
  [z.bigint(), 1, 'must be a whole number'],
  [z.date(), 'today', 'must be a date'],
  [z.array(z.string()).max(2), {}, 'must be an array'],
  [z.object({}), [], 'must be an object'],
  [z.record(z.string(), z.string()), 'a', 'must be an object'],
  [z.null(), 1, 'must be null'],
  [z.never(), 1, 'is not allowed'],
  [z.undefined(), 1, 'must not be set'],
  [z.nonoptional(z.string().optional()), undefined, 'is required'],
  [z.instanceof(URL), 'x', 'must be of type URL'],
  [z.instanceof(Uint8Array), 'x', 'must be binary data'],
])('types: %#', (schema, value, message) => {
  expect(refusal(schema, value)).toBe(message);
});

test.each<[z.ZodType, unknown, string]>([
  [z.string().min(8), 'short', 'must have at least 8 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(1_000), 'a'.repeat(1_001), 'must have at most 1,000 characters'],
  [z.string().min(1).max(4), 'abcde', 'must have at most 4 characters'],
  [z.string().trim().min(3).max(4), ' a ', 'must have 3 to 4 characters'],
  [z.string().length(3), 'a', 'must have exactly 3 characters'],
  [z.string().min(3, { error: 'is too short' }), 'a', 'is too short'],
  [z.number().min(1).max(10), 11, 'must be between 1 and 10'],
  [z.number().min(0.5), 0, 'must be at least 0.5'],
  [z.number().max(10), 11, 'must be at most 10'],
  [z.number().gt(0), 0, 'must be greater than 0'],
  [z.number().lt(10), 10, 'must be less than 10'],
  [z.int(), 2 ** 60, 'must be at most 9,007,199,254,740,991'],
  [z.bigint().min(5n), 1n, 'must be at least 5'],
  [z.number().multipleOf(0.25), 0.3, 'must be a multiple of 0.25'],
  [z.array(z.string()).min(1).max(20), [], 'must have 1 to 20 items'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  [z.array(z.string()).length(2), ['a'], 'must have exactly 2 items'],
  [z.set(z.string()).min(2), new Set(), 'must have at least 2 items'],
  [z.map(z.string(), z.string()).max(0), new Map([['a', 'b']]), 'must have at most 0 entries'],
  [z.file().max(1), new File(['ab'], 'a.txt'), 'must have at most 1 byte'],
  [z.date().min(day('2026-01-31')), day('2026-01-30'), 'must be on or after 2026-01-31T00:00:00.000Z'],
  [z.date().max(day('2026-01-31')), day('2026-02-01'), 'must be on or before 2026-01-31T00:00:00.000Z'],
])('sizes: %#', (schema, value, message) => {
  expect(refusal(schema, value)).toBe(message);
});

test.each<[z.ZodType, unknown, string]>([
  [z.email(), 'x', 'must be an email address'],
  [z.url(), 'x', 'must be a URL'],
  [z.uuid(), 'x', 'must be a UUID'],
  [z.iso.datetime(), 'x', 'must be a date and time such as 2026-01-31T09:00:00Z'],
  [z.iso.date(), 'x', 'must be a date such as 2026-01-31'],
  [z.string().regex(/^a$/), 'b', 'must match the pattern /^a$/'],
  [z.string().startsWith('a"'), 'b', String.raw`must start with "a\""`],
  [z.string().endsWith('a'), 'b', 'must end with "a"'],
  [z.string().includes('a'), 'b', 'must contain "a"'],
  [z.string().lowercase(), 'B', 'must be in lower case'],
  [z.templateLiteral(['a', z.string()]), 'b', expect.stringContaining('must match the pattern')],
  [z.enum(['a', 'b']), 'c', 'must be one of: a, b'],
  [z.enum(['a', 'b']), undefined, 'is required and must be one of: a, b'],
  [z.literal('a'), 'b', 'must be "a"'],
  [z.literal([1, null]), 2, 'must be one of: 1, null'],
  [z.stringbool({ truthy: ['on'], falsy: ['off'] }), 'x', 'must be one of: on, off'],
  [z.enum(Array.from({ length: 100 }, (_, at) => `v${at}`)), 'c', expect.stringMatching(/, v59 and 40 more$/)],
  [z.string().refine(() => false), 'x', 'is not valid'],
])('formats and values: %#', (schema, value, message) => {
  expect(refusal(schema, value)).toEqual(message);
});

test('names unknown fields, and the fields that exist', () => {
  const schema = z.strictObject({ a: z.string(), b: z.array(z.strictObject({ c: z.string() })).max(2) });
  expect(refusals(schema, { a: '', b: [{ c: '', d: '' }], e: '', f: '' })).toEqual([
    'body.b.0.d: is not a known field; allowed: c',
    'body.e: is not a known field; allowed: a, b',
    'body.f: is not a known field; allowed: a, b',
  ]);
  const flags = z.partialRecord(z.enum(['a', 'b']), z.boolean());
  expect(refusals(flags, { c: true })).toEqual(['body.c: is not a known field; allowed: a, b']);
});

test('describes entries and elements', () => {
  expect(refusal(z.record(z.string().max(3), z.string()), { abcd: '' })).toBe(
    'body.abcd: its name must have at most 3 characters',
  );
  const map = z.map(z.object({}), z.string());
  expect(refusal(map, new Map([[{}, 1]]))).toBe('has an item that must be a string');
  expect(refusal(map, new Map([['a', '']]))).toBe('body.a: must be an object');
});

describe('a union', () => {
  const text = z.object({ type: z.literal('text'), text: z.string() });
  const image = z.object({ type: z.literal('image'), url: z.url(), alt: z.string() });

  test.each<[z.ZodType, unknown, string]>([
    [z.union([z.string(), z.array(z.string())]), 5, 'must be a string or an array'],
    [z.union([z.string(), z.array(z.string())]), undefined, 'is required'],
    [z.union([z.string(), z.array(z.string())]), ['a', 5], 'body.1: must be a string'],
    [z.union([z.string(), z.array(z.string())], { error: 'is wrong' }), 5, 'is wrong'],
    [z.union([text, image], { error: 'is wrong' }), { type: 'audio' }, 'is wrong'],
    [z.union([text, image], { error: 'is wrong' }), { type: 'text' }, 'body.text: is required'],
    [z.union([z.literal('a'), z.boolean()]), 5, 'must be "a" or true or false'],
    [z.union([z.literal('a'), z.object({ a: z.int() })]), { a: 'x' }, 'body.a: must be a whole number'],
    [z.union([text, image]), { type: 'image', url: 'x', alt: '' }, 'body.url: must be a URL'],
    [z.union([text, image]), { type: 'audio' }, 'body.type: must be one of: text, image'],
    [z.union([text, image]), {}, 'body.type: is required and must be one of: text, image'],
    [z.discriminatedUnion('type', [text, image]), { type: 5 }, 'body.type: must be one of: text, image'],
    [z.discriminatedUnion('type', [text, image]), {}, 'body.type: is required and must be one of: text, image'],
    [z.discriminatedUnion('type', [text, image]), 'x', 'must be an object'],
    [z.union([z.object({ a: z.int(), b: z.int() }), z.object({ c: z.int() })]), {}, 'body.c: is required'],
    [z.xor([z.string(), z.string().max(3)]), 'a', 'matches more than one of the allowed forms'],
  ])('reports the branch that fits best: %#', (schema, value, message) => {
    expect(refusal(schema, value)).toBe(message);
  });
});

test('is short, and never repeats the value', () => {
  const secret = 'sk-secret';
  const schema = z.strictObject({
    a: z.enum(['x']),
    b: z.int(),
    c: z.url(),
    d: z.union([z.int(), z.literal('x')]),
    e: z.string().max(3),
    f: z.record(z.string(), z.int()),
  });
  const given = { a: secret, b: secret, c: secret, d: secret, e: secret, f: { g: secret } };
  const lines = refusals(schema, given);
  expect(lines).toHaveLength(6);
  expect(lines.join()).not.toContain(secret);

  const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`${'k'.repeat(1_000)}${at}`, 1]));
  const named = refusals(z.strictObject({ a: z.string().optional() }), many);
  expect(named).toHaveLength(MAX_ISSUES);
  expect(Math.max(...named.map(({ length }) => length))).toBeLessThan(200);
});
