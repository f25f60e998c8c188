import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ChorusError } from '@chorus/contract';

/** The client disconnected before its request was complete, so there is no one to answer. */
export class ClientGoneError extends Error {
  constructor() {
    super('The client disconnected');
    this.name = 'ClientGoneError';
  }
}

const CHUNK_BYTES = 65_536;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  'x-gzip': () => createGunzip({ chunkSize: CHUNK_BYTES }),
  deflate: () => createInflate({ chunkSize: CHUNK_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
};

/** Supported values of a request's `Content-Encoding`. */
export const BODY_ENCODINGS = 'gzip, deflate, br';

/**
 * Opens a request's body, decompressed. Limits apply to the decompressed bytes, which defeats compression
 * bombs.
 * @throws {ChorusError} unsupported_media_type
 */
export function openBody(request: IncomingMessage): Readable {
  const encoding = encodingOf(request);
  if (encoding === null) return request;
  const create = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (create === undefined)
    throw new ChorusError('unsupported_media_type', `Content-Encoding must be one of ${BODY_ENCODINGS}, or absent.`);
  const decoder = create();
  request.pipe(decoder);
  request.once('close', () => {
    if (!request.complete) decoder.destroy(new ClientGoneError());
  });
  return decoder;
}

/** Stops reading a body. The request stays open, so that it can be answered. */
export function closeBody(body: Readable, request: IncomingMessage): void {
  if (body === request) return;
  request.unpipe(body as Transform);
  body.on('error', () => undefined).destroy();
}

/** Converts a failure while reading a body to the error to report. */
export function bodyFailure(error: unknown, request: IncomingMessage): Error {
  if (error instanceof ChorusError || error instanceof ClientGoneError) return error;
  if (request.destroyed && !request.complete) return new ClientGoneError();
  const encoding = encodingOf(request);
  if (encoding === null) return new ClientGoneError();
  const message = `The body is not valid ${encoding}.`;
  return new ChorusError('invalid_request', message, { details: [{ path: 'body', message }] });
}

function encodingOf({ headers }: IncomingMessage): string | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity' ? null : encoding;
}
