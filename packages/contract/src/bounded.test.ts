import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { arrayBound, MAX_ISSUES, parseBounded, recordBound, walkSchema } from './bounded.ts';
import * as contract from './index.ts';

const schemas: [string, z.ZodType][] = [
  ...Object.entries<unknown>({ ...contract }).flatMap(([name, value]): [string, z.ZodType][] =>
    value instanceof z.ZodType ? [[name, value]] : [],
  ),
  ...Object.values(contract.KINDS).map((job): [string, z.ZodType] => [`input of ${job.kind}`, job.input]),
  ...Object.entries(contract.BATCH_BODIES).map(([kind, body]): [string, z.ZodType] => [`batch of ${kind}`, body]),
  ...Object.entries(contract.REALTIME_CLIENT_EVENTS).map(([type, event]): [string, z.ZodType] => [type, event]),
  ['listOf', contract.listOf(z.string())],
];

/** Finds arrays and records without a bound. */
function unbounded(schema: z.ZodType): string[] {
  const found: string[] = [];
  walkSchema(schema, (part, path) => {
    if (part instanceof z.ZodArray && arrayBound(part) === undefined) found.push(`${path} (array)`);
    if (part instanceof z.ZodRecord && recordBound(part) === undefined) found.push(`${path} (record)`);
    if (part instanceof z.ZodTuple && part.def.rest) found.push(`${path} (tuple)`);
    if (part instanceof z.ZodSet || part instanceof z.ZodMap) found.push(`${path} (set or map)`);
  });
  return found;
}

test('walkSchema visits every part of a schema', () => {
  const paths: string[] = [];
  walkSchema(contract.chatRequest, (part, path) => {
    if (part instanceof z.ZodArray || part instanceof z.ZodRecord) paths.push(path);
  });
  expect(paths).toEqual(
    expect.arrayContaining(['.messages', '.messages[]|0.content|1', '.attachments', '.knowledge.tags', '.metadata']),
  );
});

test.each(schemas)('bounds every array and record: %s', (_name, schema) => {
  expect(unbounded(schema)).toEqual([]);
});

describe('a value with many issues', () => {
  /** Creates elements that count how often they are read. */
  function counted(length: number): { elements: object[]; seen: () => number } {
    let seen = 0;
    const elements = Array.from({ length }, () => ({
      get type() {
        seen += 1;
        return 'nothing';
      },
    }));
    return { elements, seen: () => seen };
  }

  test('is checked up to the twentieth', () => {
    const { elements, seen } = counted(1_000);
    const parsed = parseBounded(contract.chatRequest, { messages: [{ role: 'user', content: elements }] });
    expect(parsed.success).toBe(false);
    expect(seen()).toBeLessThan(100);
  });

  test('is checked up to the twentieth across arrays', () => {
    const content = Array.from({ length: 500 }, () => ({}));
    const messages = Array.from({ length: 2_000 }, () => ({ role: 'user', content }));
    const parsed = parseBounded(contract.chatRequest, { messages });
    expect(parsed.error?.issues.length).toBe(MAX_ISSUES);
    expect(contract.describeIssues(parsed.error?.issues ?? [], 'body').length).toBe(MAX_ISSUES);
  });

  test('is not read if it has too many elements or entries', () => {
    const { elements, seen } = counted(2_001);
    const parsed = parseBounded(contract.chatRequest, { messages: elements });
    expect(parsed.error?.issues).toMatchObject([{ code: 'too_big', path: ['messages'] }]);
    expect(seen()).toBe(0);

    let read = 0;
    const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v']));
    Object.defineProperty(metadata, 'k0', { enumerable: true, get: () => String(++read) });
    const refused = parseBounded(contract.sessionCreate, { metadata });
    expect(refused.error?.issues).toMatchObject([
      { path: ['metadata'], message: expect.stringContaining('at most 16 entries') },
    ]);
    expect(read).toBe(0);
  });

  test('is checked the same way after other values', () => {
    const schema = z.object({
      list: z.array(z.object({ type: z.literal('a') })).max(1_000),
      pairs: contract.boundedRecord(z.string(), z.literal('v'), 2),
    });
    for (const first of [
      { list: 'x', pairs: 'x' },
      { list: Array(1_001), pairs: {} },
      { list: [], pairs: { a: 'v' } },
    ]) {
      parseBounded(schema, first);
      const { elements, seen } = counted(1_000);
      const { error } = parseBounded(schema, { list: elements, pairs: { a: 1, b: 1, c: 1 } });
      expect(seen()).toBe(MAX_ISSUES);
      expect(error?.issues.filter(({ path }) => path[0] === 'pairs')).toMatchObject([{ code: 'too_big' }]);
    }
  });

  test('lists the first twenty unknown fields', () => {
    const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, 1]));
    const parsed = parseBounded(contract.loginRequest, body);
    const details = contract.describeIssues(parsed.error?.issues ?? [], 'body');
    expect(details.length).toBe(MAX_ISSUES);
  });
});

test('parses a valid value like the schema itself', () => {
  const body = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], metadata: { a: 'b' } };
  expect(parseBounded(contract.chatRequest, body).data).toEqual({ ...body, stream: false });
  const few = parseBounded(contract.chatRequest, { messages: [{ role: 'user', content: [{}, { type: 'text' }] }] });
  expect(few.error?.issues[0]?.path).toEqual(['messages', 0, 'content']);
});
