import type { IncomingMessage } from 'node:http';
import { RequestFailure } from './request-failure.ts';

export interface PostOptions {
  headers: Record<string, string>;
  /** Time limit from name lookup to the end of the response. Default: 15 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface PostAnswer {
  /** Any status, since redirects are not followed. */
  status: number;
  retryAfter: string | null;
  /** The beginning of the body as text. Empty if it is compressed. */
  body: string;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const MAX_BODY_BYTES = 4_096;

export async function postJson(
  post: (signal: AbortSignal) => Promise<IncomingMessage>,
  options: Pick<PostOptions, 'timeoutMs' | 'signal'>,
): Promise<PostAnswer> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  try {
    const answer = await post(signal);
    const { 'retry-after': retryAfter = null, 'content-encoding': coding = 'identity' } = answer.headers;
    const body = await beginning(answer);
    return { status: answer.statusCode ?? 0, retryAfter, body: coding === 'identity' ? body.toString() : '' };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw limit.aborted && !(error instanceof RequestFailure) ? new RequestFailure('timeout', error) : error;
  }
}

async function beginning(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_BODY_BYTES) break;
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES);
}
