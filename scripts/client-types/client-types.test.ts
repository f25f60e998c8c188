import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Schema, typeOfSchema } from './type-of-schema.ts';
import { currentTypes, TYPES_FILE } from './write-types.ts';

test("the client's types are those of the routes as they are declared now", async () => {
  const written = await readFile(TYPES_FILE, 'utf8');
  expect(written === currentTypes(), 'run: node scripts/client-types/main.ts').toBe(true);
});

test('a schema becomes the type that it describes', () => {
  expect(typeOfSchema({ type: ['string', 'null'] })).toBe('string | null');
  expect(typeOfSchema({ type: 'array', items: { enum: ["it's", 2] } })).toBe("('it\\'s' | 2)[]");
  expect(typeOfSchema({ type: 'array', items: { type: 'object', additionalProperties: { type: 'number' } } })).toBe(
    'Record<string, number>[]',
  );
  expect(typeOfSchema({ allOf: [{ $ref: '#/components/schemas/One' }, { oneOf: [{ type: 'integer' }, {}] }] })).toBe(
    'One & (number | unknown)',
  );
  const objects = ['a', 'b'].map((name): Schema => ({ type: 'object', properties: { [name]: {} } }));
  expect(typeOfSchema({ allOf: [{ oneOf: objects }, { $ref: '#/C' }] }).replace(/\s+/g, ' ')).toBe(
    '({ a?: unknown | undefined; } | { b?: unknown | undefined; }) & C',
  );
  expect(
    typeOfSchema({
      type: 'object',
      required: ['one'],
      properties: { one: { const: true, description: 'First' }, 'x-2': { type: 'string', format: 'binary' } },
    }),
  ).toBe("{\n  /** First */\n  one: true;\n  'x-2'?: Blob | undefined;\n}");
  expect(() => typeOfSchema({ type: 'date' })).toThrow('date');
});
