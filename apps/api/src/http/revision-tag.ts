import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChorusError } from '@chorus/contract';
import { hasVersion } from '../assets/byte-range.ts';

/** Sets a record's revision as the response's `ETag`. `finishTag` completes it. */
export function tagRevision(response: ServerResponse, revision: number): void {
  response.setHeader('ETag', `"${revision}"`);
}

/**
 * Completes a revision's `ETag` with a hash of the response, since some fields change without a new revision.
 * @param text the response's JSON
 * @returns whether `If-None-Match` shows that the client has this response
 */
export function finishTag(request: IncomingMessage, response: ServerResponse, text: string): boolean {
  const revision = response.getHeader('ETag');
  if (typeof revision !== 'string') return false;
  const tag = `${revision.slice(0, -1)}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}"`;
  response.setHeader('ETag', tag);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && hasVersion(request.headers['if-none-match'], tag);
}

/**
 * Returns the revision in `If-Match`. Null: any revision. 0, which matches none: an unknown tag. Accepts a
 * whole `ETag`, or the bare revision in quotes.
 * @param of what the tag belongs to, such as `a message`
 * @throws {ChorusError} `invalid_header`
 */
export function expectedRevision(request: IncomingMessage, of: string): number | null {
  const given = request.headers['if-match']?.trim();
  if (given === undefined || given === '*') return null;
  const tag = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/.exec(given)?.[1];
  if (tag === undefined) {
    throw new ChorusError('invalid_header', `The If-Match header is not the ETag of ${of}.`, {
      details: [
        { path: 'headers.if-match', message: 'must be one ETag from a response, such as "3-0123456789ab", or *' },
      ],
    });
  }
  const revision = /^(\d{1,9})(?:-[0-9a-f]{12})?$/.exec(tag)?.[1];
  return revision === undefined ? 0 : Number(revision);
}
