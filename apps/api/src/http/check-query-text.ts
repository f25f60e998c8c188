import { ChorusError } from '@chorus/contract';
import type { Request } from 'express';

/**
 * Refuses a NUL anywhere in a query: stores take none in names, patterns and filters.
 *
 * @throws {ChorusError} invalid_request
 */
export function checkQueryText(query: Request['query']): void {
  for (const [name, value] of Object.entries(query)) {
    if (!name.includes('\0') && !String(value).includes('\0')) continue;
    const path = `query.${name.replaceAll('\0', '').slice(0, 100)}`;
    throw new ChorusError('invalid_request', `${path}: must not hold a NUL character`, {
      details: [{ path, message: 'must not hold a NUL character' }],
    });
  }
}
