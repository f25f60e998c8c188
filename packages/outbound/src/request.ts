import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { ByteCounter, decoderOf } from './download.ts';
import type { RequestMethod } from './send-request.ts';

export interface OutboundRequest {
  method: RequestMethod;
  headers: Record<string, string>;
  body?: string;
  /** Limits the uncompressed size of the response. Reading beyond it fails with `payload_too_large`. */
  maxBytes: number;
  /** How long the server may be silent. */
  idleMs?: number;
  /** Ends the request at any time, even while the response is being read. */
  signal: AbortSignal;
}

export interface OutboundAnswer {
  /** Any status, since redirects are not followed. */
  status: number;
  headers: IncomingHttpHeaders;
  /** The uncompressed body. Read or destroy it. */
  body: Readable;
}

export function toAnswer(incoming: IncomingMessage, maxBytes: number): OutboundAnswer {
  const { statusCode: status = 0, headers } = incoming;
  try {
    // The consumer of the body sees its errors.
    const body = pipeline([incoming, ...decoderOf(incoming), new ByteCounter(maxBytes)], () => {});
    return { status, headers, body: body as unknown as Readable };
  } catch (error) {
    incoming.destroy();
    throw error;
  }
}
