import type { Readable } from 'node:stream';
import { type AssetKind, ChorusError } from '@chorus/contract';
import { dependsOnEnd, detectType, HEAD_BYTES, type MediaType, refineType } from '@chorus/media';
import type { Incoming } from './storage-quota.ts';

export interface BodyLimits {
  /** Limit for any file. */
  uploadBytes: number;
  /** Limits by kind; `uploadBytes` applies in any case. */
  bytes?: Partial<Record<AssetKind, number>> | undefined;
}

/** Passes a body on to the store, detects its type from the first bytes, and enforces the limits. */
export class InspectedBody implements AsyncIterable<Uint8Array> {
  readonly #body: Readable | Uint8Array;
  readonly #limits: BodyLimits;
  readonly #incoming: Pick<Incoming, 'take'>;
  #type: MediaType | null = null;

  constructor(body: Readable | Uint8Array, limits: BodyLimits, incoming: Pick<Incoming, 'take'>) {
    this.#body = body;
    this.#limits = limits;
    this.#incoming = incoming;
  }

  /** Available once the body was read. */
  get type(): MediaType {
    if (this.#type === null) throw new Error('the body was not read');
    return this.#type;
  }

  /** @throws {ChorusError} payload_too_large, storage_full; invalid_request for an empty body */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const head: Uint8Array[] = [];
    const tail = new Tail();
    let size = 0;
    let limit = this.#limits.uploadBytes;
    for await (const chunk of this.#chunks()) {
      size += chunk.length;
      if (this.#type === null) {
        head.push(chunk);
        if (size >= HEAD_BYTES) {
          limit = this.#limitOf(await this.#detect(head, false));
          head.length = 0;
        }
      }
      if (this.#type === null || dependsOnEnd(this.#type)) tail.add(chunk);
      if (size > limit) throw tooLarge(this.#type, limit);
      await this.#incoming.take(chunk.length);
      yield chunk;
    }
    if (size === 0) throw invalidFile('The file is empty.');
    if (this.#type === null) limit = this.#limitOf(await this.#detect(head, true));
    else if (dependsOnEnd(this.#type)) {
      this.#type = refineType(this.#type, tail.bytes, size);
      limit = this.#limitOf(this.#type);
    }
    if (size > limit) throw tooLarge(this.#type, limit);
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    if (this.#body instanceof Uint8Array) yield this.#body;
    else yield* this.#body as AsyncIterable<Uint8Array>;
  }

  async #detect(head: Uint8Array[], complete: boolean): Promise<MediaType> {
    this.#type = await detectType(Buffer.concat(head), complete);
    return this.#type;
  }

  #limitOf({ kind }: MediaType): number {
    return Math.min(this.#limits.bytes?.[kind] ?? Number.POSITIVE_INFINITY, this.#limits.uploadBytes);
  }
}

/** Keeps the last bytes of a stream. */
class Tail {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks).subarray(-HEAD_BYTES);
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (let [first] = this.#chunks; first && this.#length - first.length >= HEAD_BYTES; [first] = this.#chunks) {
      this.#length -= first.length;
      this.#chunks.shift();
    }
  }
}

export function invalidFile(message: string, cause?: unknown): ChorusError {
  return new ChorusError('invalid_request', message, { details: [{ path: 'body.file', message }], cause });
}

function tooLarge(type: MediaType | null, limit: number): ChorusError {
  const what = type === null || type.kind === 'other' ? 'A file' : `A file of the kind ${type.kind}`;
  const message = `${what} may have up to ${limit} bytes.`;
  return new ChorusError('payload_too_large', message, { details: [{ path: 'body.file', message }] });
}
