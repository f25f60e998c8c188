import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChorusError } from '@chorus/contract';

/** Answers with a record's revision as its `ETag`. */
export function tagRevision(response: ServerResponse, revision: number): void {
  response.setHeader('ETag', `"${revision}"`);
}

/**
 * The revision in `If-Match`; null where any will do, 0, which nothing has, for a tag that was never ours.
 *
 * @param of what the tag is of, such as `a message`
 * @throws {ChorusError} invalid_header
 */
export function expectedRevision(request: IncomingMessage, of: string): number | null {
  const given = request.headers['if-match']?.trim();
  if (given === undefined || given === '*') return null;
  const tag = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/.exec(given)?.[1];
  if (tag === undefined) {
    throw new ChorusError('invalid_header', `The If-Match header is not the ETag of ${of}.`, {
      details: [{ path: 'headers.if-match', message: 'must be one ETag as it was answered, such as "3", or *' }],
    });
  }
  return /^\d{1,9}$/.test(tag) ? Number(tag) : 0;
}
