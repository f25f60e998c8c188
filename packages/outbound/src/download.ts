import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ChorusError } from '@chorus/contract';
import { parse } from 'content-disposition';
import { notAllowed } from './parse-address.ts';
import { RequestFailure } from './request-failure.ts';

export interface DownloadOptions {
  /** Limits both the compressed and the uncompressed size. */
  maxBytes: number;
  /** Time limit from name lookup to the last byte. Default: two minutes. */
  timeoutMs?: number;
  signal?: AbortSignal;
  accept?: string;
}

export interface Download {
  bytes: number;
  /** From the server, in lower case, without parameters. May not match the bytes. */
  contentType: string | null;
  filename: string | null;
  url: string;
}

export interface DownloadSteps {
  parse(text: string, base?: URL): URL;
  /** @throws {ChorusError} url_not_allowed @throws {RequestFailure} */
  get(url: URL, accept: string, signal: AbortSignal): Promise<IncomingMessage>;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const OF_THE_DISK = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG']);

/** Some servers compress unasked. */
const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const failed = (what: string, cause?: unknown): ChorusError =>
  new ChorusError('download_failed', `The URL could not be downloaded: ${what}`, { cause });

/** Follows redirects and writes the body to a file. Removes the file if the body is incomplete. */
export async function download(
  steps: DownloadSteps,
  address: string,
  path: string,
  options: DownloadOptions,
): Promise<Download> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  try {
    const { url, answer } = await follow(steps, steps.parse(address), options.accept ?? '*/*', signal);
    const bytes = await save(answer, path, options.maxBytes, signal);
    const [contentType = ''] = (answer.headers['content-type'] ?? '').split(';', 1);
    return {
      bytes,
      contentType: contentType.trim().toLowerCase() || null,
      filename: filenameOf(answer, url),
      url: url.href,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ChorusError) throw error;
    if (error instanceof RequestFailure) throw failed(error.message, error);
    throw error;
  }
}

async function follow(
  steps: DownloadSteps,
  from: URL,
  accept: string,
  signal: AbortSignal,
): Promise<{ url: URL; answer: IncomingMessage }> {
  let url = from;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const answer = await steps.get(url, accept, signal);
    const { statusCode = 0 } = answer;
    if (statusCode === 200) return { url, answer };
    answer.destroy();
    if (!REDIRECTS.has(statusCode)) throw failed(`the server answers with status ${statusCode}.`);
    const { location } = answer.headers;
    if (location === undefined) throw failed('it redirects, but does not say where to.');
    const next = steps.parse(location, url);
    if (url.protocol === 'https:' && next.protocol !== 'https:') throw notAllowed('must not lead from https to http');
    url = next;
  }
  throw failed(`it redirects more than ${MAX_REDIRECTS} times.`);
}

async function save(answer: IncomingMessage, path: string, maxBytes: number, signal: AbortSignal): Promise<number> {
  let file: FileHandle | null = null;
  try {
    const decoder = decoderOf(answer);
    if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const counter = new ByteCounter(maxBytes);
    file = await open(path, 'w');
    await pipeline([answer, ...decoder, counter, file.createWriteStream()], { signal });
    return counter.bytes;
  } catch (error) {
    answer.destroy();
    if (file === null) throw error;
    await rm(path, { force: true });
    const { code = '' } = error as NodeJS.ErrnoException;
    if (error instanceof ChorusError || error instanceof RequestFailure || OF_THE_DISK.has(code)) throw error;
    throw new RequestFailure(signal.aborted ? 'timeout' : 'broken', error);
  }
}

export function decoderOf(answer: IncomingMessage): Transform[] {
  const coding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity') return [];
  if (!Object.hasOwn(DECODERS, coding)) throw failed('the server used an encoding that was not requested.');
  return [DECODERS[coding as keyof typeof DECODERS]()];
}

const tooLarge = (maxBytes: number): ChorusError =>
  new ChorusError('payload_too_large', `The content of the URL is larger than ${maxBytes} bytes.`);

export class ByteCounter extends Transform {
  bytes = 0;
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.#max) done(tooLarge(this.#max));
    else done(null, chunk);
  }
}

const MAX_NAME_LENGTH = 200;

function filenameOf(answer: IncomingMessage, url: URL): string | null {
  const header = answer.headers['content-disposition'];
  const given = header === undefined ? undefined : parse(header).parameters.filename;
  return cleanName(given ?? '') ?? cleanName(decodePath(url.pathname));
}

function cleanName(name: string): string | null {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return /^\.*$/.test(clean) ? null : [...clean].slice(0, MAX_NAME_LENGTH).join('');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
