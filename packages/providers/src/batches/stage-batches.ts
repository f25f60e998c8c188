import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { BatchRequest, BatchWire, StagedBatch, StageOptions } from './batch-port.ts';

const LINES = { head: '', between: '\n', tail: '\n' };

/** Returns a short form of a key, to mark single requests. */
export function markOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, MARK_LENGTH);
}

export const MARK_LENGTH = 16;

/** Returns the size of a request in a batch. */
export function bytesOf(wire: BatchWire, request: Omit<BatchRequest, 'id'>): number {
  const { head, between, tail } = wire.frame ?? LINES;
  const longest = { ...request, id: '-'.repeat(64) };
  return Buffer.byteLength(head + between + tail + wire.write(longest, ''));
}

/** Writes requests to files, as many to each as a batch may have. Keeps one request in memory. */
export async function* stageBatches(
  wire: BatchWire,
  requests: AsyncIterable<BatchRequest>,
  options: StageOptions,
): AsyncGenerator<StagedBatch, void, undefined> {
  let file: StagedFile | null = null;
  try {
    for await (const request of requests) {
      if (file !== null && !file.fits(request)) {
        const full: StagedFile = file;
        file = null;
        yield await full.end();
      }
      file ??= new StagedFile(wire, request, options);
      await file.add(request);
    }
    if (file !== null) {
      const last: StagedFile = file;
      file = null;
      yield await last.end();
    }
  } finally {
    await file?.discard();
  }
}

class StagedFile {
  readonly #wire: BatchWire;
  readonly #first: BatchRequest;
  readonly #model: string;
  readonly #key: string;
  readonly #path: string;
  readonly #stream;
  readonly #frame;
  readonly #ids: string[] = [];
  readonly #betas = new Set<string>();
  #bytes = 0;
  #texts = 0;

  constructor(wire: BatchWire, first: BatchRequest, { folder, model, nextKey }: StageOptions) {
    this.#wire = wire;
    this.#first = first;
    this.#model = model;
    this.#key = nextKey();
    this.#frame = wire.frame ?? LINES;
    this.#path = join(folder, `batch-${randomUUID()}.jsonl`);
    // Only this process may read it.
    this.#stream = createWriteStream(this.#path, { flags: 'wx', mode: 0o600 });
  }

  fits(request: BatchRequest): boolean {
    const { requests, bytes, texts } = this.#wire.limits;
    const { between, tail } = this.#frame;
    const size = Buffer.byteLength(between + this.#wire.write(request, this.#key) + tail);
    return (
      this.#ids.length < requests &&
      this.#bytes + size <= bytes &&
      this.#texts + textsIn(request) <= (texts ?? Number.POSITIVE_INFINITY)
    );
  }

  async add(request: BatchRequest): Promise<void> {
    if (request.endpoint !== this.#first.endpoint || !this.#wire.endpoints.has(request.endpoint))
      throw new Error(`A batch for ${this.#first.endpoint} cannot have a request for ${request.endpoint}`);
    const { head, between } = this.#frame;
    await this.#write((this.#ids.length === 0 ? head : between) + this.#wire.write(request, this.#key));
    this.#ids.push(request.id);
    this.#texts += textsIn(request);
    for (const beta of request.betas) this.#betas.add(beta);
  }

  async end(): Promise<StagedBatch> {
    try {
      await this.#write(this.#frame.tail);
      this.#stream.end();
      await finished(this.#stream);
    } catch (error) {
      await this.discard();
      throw error;
    }
    return {
      key: this.#key,
      model: this.#model,
      endpoint: this.#first.endpoint,
      ids: this.#ids,
      path: this.#path,
      bytes: this.#bytes,
      betas: [...this.#betas],
      discard: () => rm(this.#path, { force: true }),
    };
  }

  async discard(): Promise<void> {
    this.#stream.destroy();
    await rm(this.#path, { force: true });
  }

  async #write(text: string): Promise<void> {
    this.#bytes += Buffer.byteLength(text);
    if (this.#stream.errored) throw this.#stream.errored;
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }
}

function textsIn({ body: { input } }: BatchRequest): number {
  return Array.isArray(input) ? input.length : 1;
}
