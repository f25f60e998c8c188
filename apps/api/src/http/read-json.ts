import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChorusError, type JsonLimits, type JsonName, JsonScan } from '@chorus/contract';
import { bodyFailure, ClientGoneError, closeBody, openBody } from './open-body.ts';
import { paceBody, waitForTurn, watchPace } from './pace-body.ts';

export interface BodyLimits {
  /** Size limit, decompressed. A larger declared length is refused before reading. */
  bytes: number;
  idleMs: number;
}

const THE_BODY: JsonName = { what: 'The body', path: 'body' };

/** Larger bodies are parsed one at a time, with pauses for other work. */
const LARGE_BYTES = 32_768;

/** Bytes of JSON to check between two pauses. */
const STEP_BYTES = 262_144;

/**
 * Reads a request's JSON body. A missing body counts as `{}`. Checks the structure before parsing.
 *
 * Replaces body-parser, which reads an oversized body completely before refusing it, and keeps the parsed body
 * on the request, where an open stream would hold it in memory.
 * @throws {ChorusError} unsupported_media_type, payload_too_large, invalid_json; invalid_request for a
 * structure that is too large or a client that is too slow
 */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<unknown> {
  const { headers } = request;
  const declared = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (declared === undefined || declared === '0')) return {};
  const scan = new JsonScan(THE_BODY);
  const bytes = await readJsonBytes(request, response, limits, (piece) => scan.push(piece));
  if (bytes.length === 0) return {};
  if (bytes.length > LARGE_BYTES) await waitForTurn();
  return parse(bytes, THE_BODY.what);
}

/**
 * Reads a request's JSON body without parsing or checking it.
 * @param look receives each chunk, and may refuse it
 */
export async function readJsonBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  look: (piece: Buffer) => void,
): Promise<Buffer> {
  const { headers } = request;
  checkMediaType(headers['content-type']);
  if (Number(headers['content-length'] ?? 0) > limits.bytes) throw tooLarge(limits.bytes);
  return readBytes(request, response, limits, look);
}

function checkMediaType(type: string | undefined): void {
  if (type === 'application/json') return;
  const [name = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (!/^application\/([\w.!#$&^-]+\+)?json$/.test(name.trim())) {
    throw new ChorusError('unsupported_media_type', 'Send the body with Content-Type: application/json.');
  }
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new ChorusError('unsupported_media_type', 'The body must be encoded in UTF-8.');
  }
}

export function tooLarge(limitBytes: number): ChorusError {
  return new ChorusError(
    'payload_too_large',
    `The body is larger than ${limitBytes} bytes. Upload large files first, and refer to them by their ids.`,
  );
}

function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes: limitBytes, idleMs }: BodyLimits,
  look: (piece: Buffer) => void,
): Promise<Buffer> {
  const body = openBody(request);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const stopWatching = watchPace(request, idleMs, (error) => {
      if (!response.headersSent) response.setHeader('Connection', 'close');
      refuse(error);
    });
    // Remaining listeners would keep the chunks in memory as long as the response.
    const settle = () => {
      stopWatching();
      readUnpaced();
      body.off('data', onData).off('end', onEnd).off('error', onError);
      request.off('error', onError).off('close', onGone);
      chunks = [];
    };
    const refuse = (error: unknown) => {
      settle();
      closeBody(body, request);
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) return refuse(tooLarge(limitBytes));
      try {
        look(chunk);
      } catch (error) {
        return refuse(error);
      }
      chunks.push(chunk);
    };
    const onEnd = () => {
      const only = chunks.length === 1 ? chunks[0] : undefined;
      const bytes = only ?? Buffer.concat(chunks, length);
      settle();
      resolve(bytes);
    };
    const onError = (error: unknown) => refuse(bodyFailure(error, request));
    const onGone = () => {
      if (!request.complete) refuse(new ClientGoneError());
    };
    body.on('data', onData).on('end', onEnd).on('error', onError);
    const readUnpaced = body === request ? paceBody(request) : () => undefined;
    if (body !== request) request.on('error', onError);
    request.on('close', onGone);
  });
}

/**
 * Parses JSON that has not been checked, with pauses for other work.
 * @throws {ChorusError} invalid_json, invalid_request
 */
export async function parseJson(bytes: Buffer, name: JsonName, limits?: JsonLimits): Promise<unknown> {
  await checkJson(bytes, name, limits);
  return parse(bytes, name.what);
}

/**
 * Checks the encoding and structure of JSON, with pauses for other work.
 * @throws {ChorusError} invalid_json, invalid_request
 */
export async function checkJson(bytes: Buffer, name: JsonName, limits?: JsonLimits): Promise<void> {
  const scan = new JsonScan(name, limits);
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    if (at > 0) await waitForTurn();
    scan.push(bytes.subarray(at, at + STEP_BYTES));
  }
  if (bytes.length > LARGE_BYTES) await waitForTurn();
  if (!isUtf8(bytes)) throw notUtf8(name.what);
}

function parse(bytes: Buffer, what: string): unknown {
  if (!isUtf8(bytes)) throw notUtf8(what);
  try {
    return JSON.parse(bytes.toString('utf8').trim());
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message}` : '';
    throw new ChorusError('invalid_json', `${what} is not valid JSON${reason}.`);
  }
}

export function notUtf8(what = 'The body'): ChorusError {
  return new ChorusError('invalid_json', `${what} is not valid UTF-8.`);
}
