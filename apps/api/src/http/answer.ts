import type { ServerResponse } from 'node:http';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseEncoding } from './accepts.ts';

/** Compressing shorter responses costs more time than it saves. */
const COMPRESS_FROM = 4_096;

const GZIP = { level: 6 };
/** As fast as gzip, and smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Sends JSON. Faster than Express's `json`; compresses long responses if the client accepts it. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendJsonText(response, status, JSON.stringify(body));
}

export function sendJsonText(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (text.length < COMPRESS_FROM) return void send(response, text);
  response.appendHeader('Vary', 'Accept-Encoding');
  const encoding = chooseEncoding(response.req.headers['accept-encoding']);
  if (encoding === null) return void send(response, text);
  if (response.req.method === 'HEAD') {
    // The headers of `GET`, but for the length, which is not known before compressing.
    response.setHeader('Content-Encoding', encoding);
    return void response.end();
  }
  const done = (error: Error | null, compressed: Buffer) => {
    if (response.destroyed) return;
    if (error !== null) return void send(response, text);
    response.setHeader('Content-Encoding', encoding);
    send(response, compressed);
  };
  // Runs on another thread.
  if (encoding === 'br') brotliCompress(text, { ...BROTLI, chunkSize: 65_536 }, done);
  else gzip(text, { ...GZIP, chunkSize: 65_536 }, done);
}

function send(response: ServerResponse, body: string | Buffer): void {
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
