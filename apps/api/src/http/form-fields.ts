import { SMALL_JSON_LIMITS, scanJson } from '@chorus/contract';
import { z } from 'zod';

/**
 * Reads the fields of a form as a body's schema wants them. Texts stay as they are; numbers, flags, lists and objects are read as JSON, and a list may also be
 * one word or a field that comes several times. A field that can't be read stays a text, so that the schema says what is wrong.
 *
 * @throws {ChorusError} invalid_request for JSON whose structure is too large, invalid_json for half a surrogate pair
 */
export function formFields(
  schema: z.ZodType | undefined,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, readField(name, typeOf(shape[name]), value)]),
  );
}

function readField(name: string, type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string' || type === undefined || type === 'string' || type === 'enum') return value;
  if (type !== 'array') return fromJson(name, value);
  const list = value.trimStart().startsWith('[') ? fromJson(name, value) : value;
  return Array.isArray(list) ? list : [value];
}

function fromJson(name: string, text: string): unknown {
  const path = `body.${name}`;
  scanJson(text, { what: path, path }, SMALL_JSON_LIMITS);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a field is in the end: `string`, `number`, `array`, …; undefined: the schema does not know it. */
function typeOf(schema: unknown): string | undefined {
  let current = schema;
  for (;;) {
    if (current instanceof z.ZodOptional || current instanceof z.ZodNullable || current instanceof z.ZodDefault)
      current = current.unwrap();
    else if (current instanceof z.ZodPipe) current = current.in;
    else return current instanceof z.ZodType ? current.def.type : undefined;
  }
}
