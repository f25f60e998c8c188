import type { Readable } from 'node:stream';
import { APICallError } from '@ai-sdk/provider';
import { ChorusError } from '@chorus/contract';
import type { z } from 'zod';
import { type CallFrame, callModel } from '../call-attempts.ts';
import { callFetch } from '../call-fetch.ts';
import { openGate } from '../call-gate.ts';
import { openDownload } from '../open-download.ts';
import type { CallOptions } from '../provider-port.ts';

/** Maximum length of a list or a state. */
const MAX_ANSWER_BYTES = 16_000_000;
/** Maximum length of one result, in characters. Answers may contain images. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

export interface BatchHttpOptions {
  baseUrl: string;
  headers: Record<string, string>;
  /** Default: `callFetch`. */
  fetch?: typeof fetch;
}

interface Ask {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL, or absolute. */
  path: string;
  /** A blob is sent as it is, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Returns whether a retry after this error cannot do the work twice. Default: always. */
  mayRepeat?(thrown: unknown): boolean;
}

/**
 * Requests to a provider's endpoints for batches and files, retried as every call. They are few and have their own
 * limits at the provider, so they pass no gate.
 */
export class BatchHttp {
  readonly frame: CallFrame;
  readonly #baseUrl: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof fetch;

  constructor(frame: CallFrame, { baseUrl, headers, fetch = callFetch }: BatchHttpOptions) {
    this.frame = { ...frame, gate: openGate };
    this.#baseUrl = baseUrl;
    this.#headers = headers;
    this.#fetch = fetch;
  }

  /** @throws ChorusError as every call */
  async ask<T>(ask: Ask, schema: z.ZodType<T>, options: CallOptions): Promise<{ value: T; headers: Headers }> {
    const { method = 'GET', path, body, mayRepeat } = ask;
    const url = this.#urlOf(path);
    const isJson = body !== undefined && !(body instanceof Blob);
    const send = async (signal: AbortSignal) => {
      const response = await this.#fetch(url, {
        method,
        headers: { ...this.#headers, ...(isJson && { 'content-type': 'application/json' }), ...ask.headers },
        signal,
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as Blob) }),
      });
      const text = await textOf(response);
      if (!response.ok)
        throw new APICallError({
          message: `HTTP ${response.status}`,
          url: url.href,
          requestBodyValues: {},
          statusCode: response.status,
          responseHeaders: Object.fromEntries(response.headers),
          responseBody: text,
        });
      const parsed = schema.safeParse(jsonIn(text));
      if (!parsed.success)
        throw new ChorusError('provider_error', `${this.frame.provider} sent an invalid answer about a batch`);
      return { value: parsed.data, headers: response.headers };
    };
    return callModel(this.frame, options, { operation: 'batch', model: '' }, send, mayRepeat);
  }

  /** Downloads lines of JSON. A broken download throws, and lines that are not JSON are skipped. */
  async *lines(path: string, options: CallOptions): AsyncGenerator<unknown, void, undefined> {
    const source = { url: this.#urlOf(path), headers: this.#headers };
    for await (const line of splitLines(await openDownload(this.frame, this.#fetch, source, options))) {
      const parsed = jsonIn(line);
      if (parsed !== undefined) yield parsed;
    }
  }

  #urlOf(path: string): URL {
    return new URL(/^https?:/.test(path) ? path : this.#baseUrl + path);
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new ChorusError('provider_error', 'The answer about a batch is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function* splitLines(stream: Readable): AsyncGenerator<string, void, undefined> {
  stream.setEncoding('utf8');
  let rest = '';
  for await (const chunk of stream as AsyncIterable<string>) {
    const pieces = chunk.split('\n');
    for (const piece of pieces.slice(0, -1)) {
      yield rest + piece;
      rest = '';
    }
    rest += pieces.at(-1);
    if (rest.length > MAX_LINE_LENGTH) throw new ChorusError('provider_error', 'A result of a batch is too long');
  }
  if (rest !== '') yield rest;
}

/** Returns undefined if a text is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
