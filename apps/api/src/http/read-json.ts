import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ChorusError } from '@chorus/contract';

/** A client may take so long to send a body of JSON, in milliseconds. */
const BODY_TIMEOUT_MS = 120_000;

/** The client went away before its request was complete; nobody is left to answer. */
export class ClientGoneError extends Error {
  constructor() {
    super('The client went away');
    this.name = 'ClientGoneError';
  }
}

/**
 * Reads a request's JSON body; an absent body counts as `{}`.
 *
 * Our own instead of body-parser: that one reads an oversized body to its end before it answers, and keeps what it
 * parsed on the request, where an open stream would hold it for its whole life.
 *
 * @param limitBytes a longer body is refused, by its declared length before anything is read
 * @throws {ChorusError} unsupported_media_type, payload_too_large, invalid_json, invalid_request for one that takes too long
 */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const { headers } = request;
  const declared = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (declared === undefined || declared === '0')) return {};
  return parse(await readJsonBytes(request, limitBytes));
}

/** The same, unparsed. */
export async function readJsonBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const { headers } = request;
  checkMediaType(headers['content-type'], headers['content-encoding']);
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  return readBytes(request, limitBytes);
}

function checkMediaType(type: string | undefined, encoding: string | undefined): void {
  if (type !== 'application/json') {
    const [name = '', ...parameters] = (type ?? '').toLowerCase().split(';');
    const charset = parameters
      .map((parameter) => parameter.trim())
      .find((parameter) => parameter.startsWith('charset='));
    if (!/^application\/([\w.!#$&^-]+\+)?json$/.test(name.trim())) {
      throw new ChorusError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.');
    }
    if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
      throw new ChorusError('unsupported_media_type', 'The body must be encoded in UTF-8.');
    }
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ChorusError('unsupported_media_type', 'The body must be sent without Content-Encoding.');
  }
}

export function tooLarge(limitBytes: number): ChorusError {
  return new ChorusError('payload_too_large', `The body is larger than ${limitBytes} bytes.`);
}

function tooSlow(): ChorusError {
  return new ChorusError('invalid_request', `The body did not come within ${BODY_TIMEOUT_MS / 1_000} s.`);
}

function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    // Listeners that stayed would keep the chunks alive as long as the response.
    const timer = setTimeout(() => {
      settle();
      reject(tooSlow());
    }, BODY_TIMEOUT_MS);
    const settle = () => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      chunks = [];
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) return void chunks.push(chunk);
      settle();
      reject(tooLarge(limitBytes));
    };
    const onEnd = () => {
      const only = chunks.length === 1 ? chunks[0] : undefined;
      const bytes = only ?? Buffer.concat(chunks, length);
      settle();
      resolve(bytes);
    };
    const onGone = () => {
      settle();
      reject(new ClientGoneError());
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw notUtf8();
  return parseJson(bytes.toString('utf8'), 'The body');
}

export function notUtf8(): ChorusError {
  return new ChorusError('invalid_json', 'The body is not valid UTF-8.');
}

/**
 * @param what how errors name it
 * @throws {ChorusError} invalid_json
 */
export function parseJson(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message}` : '';
    throw new ChorusError('invalid_json', `${what} is not valid JSON${reason}.`);
  }
  if (!hasLoneSurrogate(text)) return value;
  throw new ChorusError('invalid_json', `${what} holds half a surrogate pair, which is no character.`);
}

const SURROGATE = /\\u[dD][89a-fA-F]/;
const PAIRS = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g;

/** Whether JSON names half of a surrogate pair, which UTF-8 carries as an escape alone and no store keeps: it would come back as another character. */
function hasLoneSurrogate(json: string): boolean {
  if (!SURROGATE.test(json)) return false;
  // Other escapes go first, since a backslash may itself be escaped.
  return SURROGATE.test(json.replace(/\\[^u]/g, ' ').replace(PAIRS, ' '));
}
