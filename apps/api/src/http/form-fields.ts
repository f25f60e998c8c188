import { SMALL_JSON_LIMITS, scanJson } from '@chorus/contract';
import { z } from 'zod';

/**
 * Converts the fields of a form to what a body's schema expects. Numbers, flags, lists and objects are parsed
 * as JSON. A list may also be a single word or a repeated field. Unreadable fields stay strings, so the schema
 * reports them.
 * @throws {ChorusError} invalid_request for JSON with too large a structure, invalid_json for a lone surrogate
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

/** Returns a field's type: `string`, `number`, `array`, …. Undefined: unknown field. */
function typeOf(schema: unknown): string | undefined {
  let current = schema;
  for (;;) {
    if (current instanceof z.ZodOptional || current instanceof z.ZodNullable || current instanceof z.ZodDefault)
      current = current.unwrap();
    else if (current instanceof z.ZodPipe) current = current.in;
    else return current instanceof z.ZodType ? current.def.type : undefined;
  }
}
