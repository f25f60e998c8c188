import { ChorusError, describeIssues, parseBounded } from '@chorus/contract';
import type { z } from 'zod';

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
  const parsed = parseBounded(schema, value);
  if (parsed.success) return parsed.data;
  const details = describeIssues(schema, parsed.error.issues, part);
  const first = details[0];
  throw new ChorusError('invalid_request', first ? `${first.path}: ${first.message}` : `The ${part} is invalid.`, {
    details,
  });
}
