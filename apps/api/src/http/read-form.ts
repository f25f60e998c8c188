import type { Readable } from 'node:stream';
import { ChorusError } from '@chorus/contract';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { bodyFailure, ClientGoneError, closeBody, openBody } from './open-body.ts';
import { watchPace } from './pace-body.ts';

/** The part of a file, unless a route has its own. */
export const FILE_PART = 'file';

/** Limit of fields besides the files. */
const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 131_072;
const MAX_NAME_BYTES = 200;

const PARSER_LIMITS = {
  fields: MAX_FIELDS,
  fieldSize: MAX_FIELD_BYTES,
  fieldNameSize: MAX_NAME_BYTES,
  fieldNestingDepth: 2,
  fieldArrayIndexLimit: 100,
  headerPairs: 20,
};

/** Limit of boundaries, headers and fields together. */
const OVERHEAD_BYTES = 8_000_000;

/** Stores uploaded files as they arrive. */
export interface FileSink<T> {
  /** Stores the file completely, or fails. */
  store(body: Readable, filename: string | null): Promise<T>;
  /** Removes the file, because the request failed. */
  discard(stored: T): Promise<void>;
}

export interface FormLimits {
  /** Size limit of one file. */
  fileBytes: number;
  /** Maximum number of files. At least one is required. */
  files: number;
  /** Names of their parts. Default: `file`. */
  parts?: readonly [string, ...string[]];
  idleMs: number;
}

export interface Form<T> {
  /** Repeated fields become lists; `a[b]` becomes an object. */
  fields: Record<string, unknown>;
  /** One for each file, in the order of the form. */
  stored: T[];
  /** The names of their parts, without `[]`. */
  parts: string[];
}

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/**
 * Reads a form and streams each file to the sink, without buffering it in memory or on disk. If the form
 * is refused or the client disconnects, stored files are discarded.
 * @throws {ChorusError} invalid_request, payload_too_large, unsupported_media_type, and errors of the sink
 * @throws {ClientGoneError}
 */
export function readForm<T>(
  request: Request,
  response: Response,
  { fileBytes, files: maxFiles, parts = [FILE_PART], idleMs }: FormLimits,
  sink: FileSink<T>,
): Promise<Form<T>> {
  const maxBytes = fileBytes * maxFiles + OVERHEAD_BYTES;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(fileBytes, parts[0]);

  const source = Object.assign(openBody(request), { headers: request.headers, body: {} });
  let stopWatching = () => {};
  const reading = new Promise<Form<T>>((resolve, reject) => {
    // Report the first error at once. Multer reports errors only after reading the rest of the body.
    const files = new Map<number, { part: string; file: T }>();
    const storing: Promise<unknown>[] = [];
    let seen = 0;
    let refused = false;
    const refuse = (error: unknown) => {
      refused = true;
      reject(error);
    };
    const read = multer({
      defParamCharset: 'utf8',
      limits: { ...PARSER_LIMITS, parts: MAX_FIELDS + maxFiles + 1 },
      fileFilter: (_request, file, include) => {
        seen += 1;
        const refusal = !parts.includes(partOf(file.fieldname))
          ? invalidPart(file.fieldname, `is not a file part; send the file as \`${parts.join('` or `')}\``)
          : seen > maxFiles
            ? invalidPart(parts[0], maxFiles === 1 ? 'must be one file' : `must be at most ${maxFiles} files`)
            : null;
        if (refusal === null) return include(null, true);
        refuse(refusal);
        include(refusal);
      },
      storage: {
        _handleFile: (_request, file, done) => {
          const place = seen;
          storing.push(
            sink.store(file.stream, file.originalname || null).then(
              (stored) => {
                files.set(place, { part: partOf(file.fieldname), file: stored });
                done(null, { stored } as object);
              },
              (error) => {
                // A truncated form also fails the file that is being stored.
                refuse(refusalOf(error, request, isCutOff(error)));
                done(error);
              },
            ),
          );
        },
        _removeFile: (_request, file, done) => {
          sink.discard((file as unknown as { stored: T }).stored).then(() => done(null), done);
        },
      },
    }).any();

    stopWatching = watchPace(request, idleMs, (error) => {
      // Answer, then close the connection, which ends everything that waits for more of the body.
      if (!response.headersSent) response.setHeader('Connection', 'close');
      refuse(error);
    });
    read(source as unknown as Request, response, (error: unknown) => {
      // A sink that refuses a file ends its stream, which the parser then reports as an error.
      if (error) return void Promise.all(storing).then(() => refuse(refusalOf(error, request, true)));
      const sent = [...files].sort(([one], [other]) => one - other).map(([, each]) => each);
      const stored = sent.map(({ file }) => file);
      if (stored.length === 0) return reject(invalidPart(parts[0], 'is required: send a file with a filename'));
      // The request was given up before the file was stored.
      if (refused) return void Promise.all(stored.map((file) => sink.discard(file)));
      resolve({ fields: { ...source.body }, stored, parts: sent.map(({ part }) => part) });
    });
    let bytes = 0;
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) refuse(tooLarge(fileBytes, parts[0]));
    });
  });
  return reading.finally(() => {
    stopWatching();
    closeBody(source, request);
  });
}

/** A request that was read completely is destroyed, too. */
const hasDisconnected = (request: Request): boolean => request.destroyed && !request.complete;

/** @param ofForm whether the form itself failed, not its sink */
function refusalOf(error: unknown, request: Request, ofForm: boolean): unknown {
  if (error instanceof ChorusError) return error;
  if (hasDisconnected(request)) return new ClientGoneError();
  if (!ofForm) return error;
  if (isCompressionError(error)) return bodyFailure(error, request);
  if (error instanceof MulterError) return invalidPart(error.field ?? '', PROBLEMS[error.code] ?? error.message);
  // The boundary is missing, the form is truncated, or a part has invalid headers.
  const reason = error instanceof Error ? error.message : 'unreadable';
  return new ChorusError('invalid_request', `The form could not be read: ${reason}.`, {
    details: [{ path: 'body', message: reason }],
  });
}

/** Returns whether the form was truncated, by the parser's message. */
function isCutOff(error: unknown): boolean {
  return isCompressionError(error) || (error instanceof Error && error.message.startsWith('Unexpected end of f'));
}

function isCompressionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_BROTLI|ERR__ERROR)/.test(String(error.code));
}

const PROBLEMS: { [code: string]: string | undefined } = {
  LIMIT_PART_COUNT: `at most ${MAX_FIELDS} fields are allowed`,
  LIMIT_FIELD_COUNT: `at most ${MAX_FIELDS} fields are allowed`,
  LIMIT_FIELD_KEY: `field names may have up to ${MAX_NAME_BYTES} bytes`,
  LIMIT_FIELD_VALUE: `may have up to ${MAX_FIELD_BYTES} bytes`,
  LIMIT_FIELD_NESTING: 'is nested too deeply',
  MISSING_FIELD_NAME: 'each part needs a name',
};

function invalidPart(name: string, message: string): ChorusError {
  const path = name === '' ? 'body' : `body.${name.slice(0, MAX_NAME_BYTES)}`;
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

/** `image[]` and `image[0]` are parts of the list `image`. */
function partOf(name: string): string {
  return name.replace(/\[\d*\]$/, '');
}

function tooLarge(fileBytes: number, part: string): ChorusError {
  const message = `A file may have up to ${fileBytes} bytes.`;
  return new ChorusError('payload_too_large', message, { details: [{ path: `body.${part}`, message }] });
}
