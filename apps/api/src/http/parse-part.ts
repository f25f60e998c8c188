import { ChorusError, describeIssues, parseBounded } from '@chorus/contract';
import type { Request } from 'express';
import type { z } from 'zod';

/**
 * Validates a part of a request.
 * @param part how the details name it: `body` or `query`
 * @throws {ChorusError} invalid_request, with a detail for each issue
 */
export function parsePart<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: 'body' | 'query',
): z.output<Schema> {
  const parsed = parseBounded(schema, value);
  if (parsed.success) return parsed.data;
  const details = describeIssues(parsed.error.issues, part);
  const first = details[0];
  throw new ChorusError('invalid_request', first ? `${first.path}: ${first.message}` : `The ${part} is invalid.`, {
    details,
  });
}

/**
 * Refuses NUL characters in a query. The stores don't accept them in names, patterns and filters.
 * @throws {ChorusError} invalid_request
 */
export function checkQueryText(query: Request['query']): void {
  for (const [name, value] of Object.entries(query)) {
    if (!name.includes('\0') && !String(value).includes('\0')) continue;
    const path = `query.${name.replaceAll('\0', '').slice(0, 100)}`;
    throw new ChorusError('invalid_request', `${path}: must not contain a NUL character`, {
      details: [{ path, message: 'must not contain a NUL character' }],
    });
  }
}
