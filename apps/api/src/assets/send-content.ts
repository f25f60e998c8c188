import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from '@chorus/assets';
import { ChorusError } from '@chorus/contract';
import type { RequestContext } from '../http/request-context.ts';
import { hasVersion, requestedRange } from './byte-range.ts';
import { CONTENT_POLICY } from './content-headers.ts';

/** A client that reads nothing for this long is disconnected. */
const WRITE_TIMEOUT_MS = 60_000;

export interface Content {
  mimeType: string;
  disposition: string;
  /** A strong validator, quoted. */
  etag: string;
  sizeBytes: number;
  open(range?: ByteRange): Promise<Readable>;
}

/**
 * Answers with immutable bytes: all, a range, or 304 if the client already has them.
 * @throws {ChorusError} range_not_satisfiable, and errors of `open`
 */
export async function sendContent(context: RequestContext, content: Content): Promise<undefined> {
  const { request, response } = context;
  const { etag, sizeBytes } = content;
  const { headers } = request;
  setHeaders(context, content);
  if (hasVersion(headers['if-none-match'], etag)) return end(response, 304);
  const range = requestedRange({ range: headers.range, ifRange: header(headers, 'if-range') }, sizeBytes, etag);
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${sizeBytes}`);
    throw new ChorusError('range_not_satisfiable', `The content has ${sizeBytes} bytes.`);
  }
  const part = range === 'all' ? undefined : range;
  if (part !== undefined) response.setHeader('Content-Range', `bytes ${part.start}-${part.end}/${sizeBytes}`);
  response.setHeader('Content-Length', part === undefined ? sizeBytes : part.end - part.start + 1);
  if (request.method === 'HEAD') return end(response, part === undefined ? 200 : 206);
  const body = await openUntilReadable(content, part).catch((error) => {
    for (const name of CONTENT_HEADERS) response.removeHeader(name);
    throw error;
  });
  response.statusCode = part === undefined ? 200 : 206;
  response.setTimeout(WRITE_TIMEOUT_MS, () => response.destroy());
  await pipeline(body, response).catch((error) => {
    // The client disconnected, so there is no one to answer.
    if (!response.destroyed || error instanceof ChorusError) throw error;
  });
}

/** Headers that an error must not have. */
const CONTENT_HEADERS = [
  'Content-Disposition',
  'Cache-Control',
  'Accept-Ranges',
  'ETag',
  'Content-Range',
  'Content-Length',
];

/** Waits for the first bytes, so that damage to a short file becomes an error rather than a broken connection. */
async function openUntilReadable(content: Content, part: ByteRange | undefined): Promise<Readable> {
  const body = await content.open(part);
  await once(body, 'readable');
  return body;
}

function setHeaders({ response, signed, services }: RequestContext, { mimeType, disposition, etag }: Content): void {
  const seconds = Math.floor(signed?.leftS ?? services.config.assets.urlTtlS);
  response.setHeader('Content-Type', mimeType);
  response.setHeader('Content-Disposition', disposition);
  response.setHeader('Content-Security-Policy', CONTENT_POLICY);
  response.setHeader('Cache-Control', `private, max-age=${seconds}, immutable`);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('ETag', etag);
  // Unsigned access depends on the credential.
  if (signed === null) response.setHeader('Vary', 'Authorization, X-API-Key, X-Scope-Type, X-Workspace-ID, Origin');
}

function end(response: ServerResponse, status: number): undefined {
  response.statusCode = status;
  response.end();
}

function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
