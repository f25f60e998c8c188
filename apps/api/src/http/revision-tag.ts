import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChorusError, type ExpectedRevisions } from '@chorus/contract';
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

/** An ETag of RFC 9110, section 8.8.3. */
const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
const REVISION = /^(\d{1,9})(?:-[0-9a-f]{12})?$/;

/**
 * Returns the revisions in `If-Match`. Null: any revision. Unknown and weak tags match none. Accepts whole `ETag`s, or
 * bare revisions in quotes.
 * @param of what the tags belong to, such as `a message`
 * @throws {ChorusError} `invalid_header`
 */
export function expectedRevisions(request: IncomingMessage, of: string): ExpectedRevisions {
  const given = request.headers['if-match']?.trim();
  if (given === undefined || given === '*') return null;
  // Tags of this API contain no commas, and HTTP allows empty members of a list.
  const members = given.split(',').flatMap((member) => member.trim() || []);
  const tags = members.map((member) => TAG.exec(member));
  if (tags.length === 0 || tags.includes(null)) {
    throw new ChorusError('invalid_header', `The If-Match header has no ETags of ${of}.`, {
      details: [
        {
          path: 'headers.if-match',
          message: 'must be ETags from responses, such as "3-0123456789ab", separated by commas, or *',
        },
      ],
    });
  }
  return tags.flatMap((tag) => {
    const [, weak, value = ''] = tag ?? [];
    const revision = weak === undefined ? REVISION.exec(value)?.[1] : undefined;
    return revision === undefined ? [] : [Number(revision)];
  });
}
