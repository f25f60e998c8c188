import { ChorusError, type ErrorDetail } from '@chorus/contract';
import { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** A body can be wrong in thousands of places; an answer names the first few. */
const MAX_DETAILS = 20;

/**
 * Checks one part of a request against its schema.
 *
 * @param part how the details name it: `body` or `query`
 * @throws {ChorusError} invalid_request, with one detail for each mistake, naming what is allowed
 */
export function parsePart<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: 'body' | 'query',
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.flatMap((issue) => describe(schema, issue, part)).slice(0, MAX_DETAILS);
  const first = details[0];
  throw new ChorusError('invalid_request', first ? `${first.path}: ${first.message}` : `The ${part} is invalid.`, {
    details,
  });
}

function describe(schema: z.ZodType, issue: Issue, part: string): ErrorDetail[] {
  const path = [part, ...issue.path.map(String)].join('.').slice(0, 200);
  if (issue.code === 'unrecognized_keys') {
    const allowed = fieldsAt(schema, issue.path);
    const message = allowed.length > 0 ? `unknown field; allowed: ${allowed.join(', ')}` : 'unknown field';
    return issue.keys.map((key) => ({ path: `${path}.${key.slice(0, 100)}`, message }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branches = issue.errors.map((issues) => issues[0]?.message).filter((message) => message !== undefined);
    return [{ path, message: [...new Set(branches)].join('; or ') }];
  }
  return [{ path, message: issue.message }];
}

/** Names of the fields of the object that `path` leads to, so far as the schema shows it. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = unwrap(schema);
  for (const step of path) {
    if (current instanceof z.ZodObject) current = unwrap(current.shape[String(step)]);
    else if (current instanceof z.ZodArray) current = unwrap(current.element);
    else return [];
  }
  return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let current = schema;
  while (current instanceof z.ZodOptional || current instanceof z.ZodNullable || current instanceof z.ZodDefault) {
    current = current.unwrap();
  }
  return current;
}
