import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChorusError } from '@chorus/contract';
import { hasVersion } from '../assets/byte-range.ts';

/** Notes a record's revision as the `ETag` of the answer. `finishTag` adds the rest. */
export function tagRevision(response: ServerResponse, revision: number): void {
  response.setHeader('ETag', `"${revision}"`);
}

/**
 * Completes the `ETag` of an answer that has a revision. Some fields change without a new revision, such as the status of an answer that is
 * being written, so a hash of the answer follows the revision.
 *
 * @param text the answer's JSON
 * @returns whether the client has this very answer already, by its `If-None-Match`
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
 * Returns the revision in `If-Match`: null where any will do, 0, which no record has, for a tag that was never ours.
 * Takes a whole `ETag`, or the bare revision in quotes.
 *
 * @param of what the tag is of, such as `a message`
 * @throws {ChorusError} `invalid_header`
 */
export function expectedRevision(request: IncomingMessage, of: string): number | null {
  const given = request.headers['if-match']?.trim();
  if (given === undefined || given === '*') return null;
  const tag = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/.exec(given)?.[1];
  if (tag === undefined) {
    throw new ChorusError('invalid_header', `The If-Match header is not the ETag of ${of}.`, {
      details: [
        { path: 'headers.if-match', message: 'must be one ETag as it was answered, such as "3-0123456789ab", or *' },
      ],
    });
  }
  const revision = /^(\d{1,9})(?:-[0-9a-f]{12})?$/.exec(tag)?.[1];
  return revision === undefined ? 0 : Number(revision);
}
