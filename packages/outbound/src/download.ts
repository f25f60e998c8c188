import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ChorusError } from '@chorus/contract';
import { filenameOf } from './filename.ts';
import { notAllowed } from './parse-address.ts';
import { RequestFailure } from './request-failure.ts';

export interface DownloadOptions {
  /** What is larger, as it was sent or unpacked, is refused. */
  maxBytes: number;
  /** From the first look at the name to the last byte. Default two minutes. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Media types that are asked for. */
  accept?: string;
}

export interface Download {
  bytes: number;
  /** As the server says, in lower case and without parameters; believe the bytes rather. */
  contentType: string | null;
  /** As the server says, else as the URL ends; a plain name without folders. */
  filename: string | null;
  /** Where it was found after redirects. */
  url: string;
}

export interface DownloadSteps {
  /** @throws {ChorusError} url_not_allowed */
  parse(text: string, base?: URL): URL;
  /** @throws {ChorusError} url_not_allowed @throws {RequestFailure} */
  get(url: URL, accept: string, signal: AbortSignal): Promise<IncomingMessage>;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What the disk is to blame for, not the server. */
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

/** Follows redirects to an answer and writes its body to a file, which is there only if all of it is. */
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
    const next = steps.parse(answer.headers.location ?? '', url);
    if (url.protocol === 'https:' && next.protocol !== 'https:') throw notAllowed('must not lead from https to http');
    url = next;
  }
  throw failed(`it leads on more than ${MAX_REDIRECTS} times.`);
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

function decoderOf(answer: IncomingMessage): Transform[] {
  const coding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity') return [];
  if (!Object.hasOwn(DECODERS, coding)) throw failed('it comes in an encoding that was not asked for.');
  return [DECODERS[coding as keyof typeof DECODERS]()];
}

const tooLarge = (maxBytes: number): ChorusError =>
  new ChorusError('payload_too_large', `What the URL leads to is larger than ${maxBytes} bytes.`);

/** Passes bytes on, but no more than may be. */
class ByteCounter extends Transform {
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
