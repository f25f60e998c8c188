import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Blobs } from '@chorus/blobs';
import { ChorusError } from '@chorus/contract';
import { z } from 'zod';
import type { KnowledgeKeys } from './knowledge-keys.ts';
import { type DocumentFacts, documentFacts, type Piece, piece } from './piece.ts';

export interface RevisionStore {
  blobs: Pick<Blobs, 'put' | 'open' | 'list' | 'removeMany'>;
  keys: KnowledgeKeys;
}

/** Vectors per file. Limits the paid work that is lost if a process dies. */
export const PIECES_PER_PART = 64;

export interface VectorParts {
  /** Null if there are none yet. */
  dimensions: number | null;
  /** First positions of the parts. */
  starts: Set<number>;
}

const PIECES = 'pieces';
const PAGES = 'pages-';
const PARTIAL = 'partial-';

const readPages = z.array(
  z.object({
    number: z.int(),
    text: z.string(),
    confidence: z.number().nullable().optional(),
    script: z.string().optional(),
  }),
);
const partial = z.object({ start: z.int(), vectors: z.array(z.string()) });
export type ReadPage = z.infer<typeof readPages>[number];

interface HeldRevision {
  pieces: readonly Piece[];
  vectors: Map<string, readonly Float32Array[]>;
  writes: Promise<unknown>[];
}

/**
 * Stored results for a revision: pieces in one file, vectors in parts. Files are written atomically, so existing
 * ones are never recomputed.
 */
export class RevisionFiles {
  readonly #store: RevisionStore;
  readonly #entryId: string;
  readonly #revision: number;
  #held: HeldRevision | null = null;

  constructor(store: RevisionStore, entryId: string, revision: number) {
    this.#store = store;
    this.#entryId = entryId;
    this.#revision = revision;
  }

  /** Returns null before the document was parsed. @throws {ChorusError} store_unavailable */
  async document(): Promise<DocumentFacts | null> {
    const stream = await this.#openPieces();
    if (stream === null) return null;
    for await (const line of linesOf(stream)) return documentFacts.parse(JSON.parse(line));
    throw new Error('a file of pieces is empty');
  }

  async putPieces(
    facts: Omit<DocumentFacts, 'version' | 'piece_count'>,
    pieces: readonly Piece[],
  ): Promise<DocumentFacts> {
    const document = documentOf(facts, pieces);
    await this.#store.blobs.put(await this.#key(PIECES), encoded(document, pieces));
    return document;
  }

  /**
   * Like `putPieces`, for a document with one part, which an attempt processes completely: keeps its pieces and vectors
   * in memory, and writes their files in the background. Await `written` before publishing them.
   */
  async holdPieces(
    facts: Omit<DocumentFacts, 'version' | 'piece_count'>,
    pieces: readonly Piece[],
  ): Promise<DocumentFacts> {
    this.#held = { pieces, vectors: new Map(), writes: [] };
    this.#writeMeanwhile(this.putPieces(facts, pieces));
    return documentOf(facts, pieces);
  }

  /** Waits for the files of a held revision. @throws {ChorusError} store_unavailable */
  async written(): Promise<void> {
    await Promise.all(this.#held?.writes ?? []);
  }

  #writeMeanwhile(writing: Promise<unknown>): void {
    writing.catch(() => undefined); // reported by `written`
    this.#held?.writes.push(writing);
  }

  /** Stores pages from OCR, which is slow. The file is named after the first page. */
  async putPages(pages: readonly ReadPage[]): Promise<void> {
    const key = await this.#key(`${PAGES}${pages[0]?.number ?? 0}`);
    await this.#store.blobs.put(key, Buffer.from(JSON.stringify(pages)));
  }

  async pages(): Promise<ReadPage[]> {
    const all: ReadPage[] = [];
    for await (const key of this.#list(await this.#key(PAGES)))
      all.push(...readPages.parse(JSON.parse((await buffer(await this.#store.blobs.open(key))).toString())));
    return all;
  }

  /** Called once their text is in the pieces. */
  async dropPages(): Promise<void> {
    const keys: string[] = [];
    for await (const key of this.#list(await this.#key(PAGES))) keys.push(key);
    await this.#store.blobs.removeMany(keys);
  }

  /** In order. @throws {ChorusError} not_found, store_unavailable */
  async *pieces(): AsyncGenerator<Piece, void, undefined> {
    if (this.#held !== null) return yield* this.#held.pieces;
    const stream = await this.#openPieces();
    if (stream === null) throw new ChorusError('not_found', 'The text of this revision is gone.');
    let first = true;
    for await (const line of linesOf(stream)) {
      if (!first) yield piece.parse(JSON.parse(line));
      first = false;
    }
  }

  async vectorParts(model: string): Promise<VectorParts> {
    const parts: VectorParts = { dimensions: null, starts: new Set() };
    if (this.#held !== null) return parts;
    const prefix = await this.#key(`vectors-${modelHash(model)}-`);
    for await (const key of this.#list(prefix)) {
      const [dimensions, start] = key.slice(prefix.length).split('-').map(Number);
      if (dimensions === undefined || start === undefined || !(dimensions > 0)) continue;
      // Starts over if a model now returns other dimensions, since the vectors in a table must be comparable.
      if (parts.dimensions !== null && parts.dimensions !== dimensions) return { dimensions: null, starts: new Set() };
      parts.dimensions = dimensions;
      parts.starts.add(start);
    }
    return parts;
  }

  async putVectors(model: string, start: number, vectors: readonly Float32Array[]): Promise<void> {
    const held = this.#held;
    if (held !== null) {
      held.vectors.set(model, vectors);
      this.#writeMeanwhile(this.#writeVectors(model, start, vectors));
    } else await this.#writeVectors(model, start, vectors);
  }

  async #writeVectors(model: string, start: number, vectors: readonly Float32Array[]): Promise<void> {
    const dimensions = vectors[0]?.length ?? 0;
    const all = new Float32Array(vectors.length * dimensions);
    for (const [index, vector] of vectors.entries()) all.set(vector, index * dimensions);
    const key = await this.#vectorKey(model, dimensions, start);
    await this.#store.blobs.put(key, Buffer.from(all.buffer, all.byteOffset, all.byteLength));
  }

  /** Returns the vectors of a part. @throws {ChorusError} not_found, store_unavailable */
  async vectors(model: string, dimensions: number, start: number): Promise<readonly Float32Array[]> {
    const held = this.#held?.vectors.get(model);
    if (held !== undefined) return held;
    const bytes = await buffer(await this.#store.blobs.open(await this.#vectorKey(model, dimensions, start)));
    const all = new Float32Array(bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
    new Uint8Array(all.buffer).set(bytes);
    return Array.from({ length: all.length / dimensions }, (_, index) =>
      all.subarray(index * dimensions, (index + 1) * dimensions),
    );
  }

  /** Stores the first vectors of an incomplete part, of which there is one per model. */
  async putPartialVectors(model: string, start: number, vectors: readonly Float32Array[]): Promise<void> {
    const kept = { start, vectors: vectors.map((vector) => Buffer.from(vector.slice().buffer).toString('base64')) };
    await this.#store.blobs.put(await this.#key(`${PARTIAL}${modelHash(model)}`), Buffer.from(JSON.stringify(kept)));
  }

  /** Returns the first vectors of a part from an earlier attempt. Empty if there are none. */
  async partialVectors(model: string, start: number): Promise<Float32Array[]> {
    if (this.#held !== null) return [];
    try {
      const bytes = await buffer(await this.#store.blobs.open(await this.#key(`${PARTIAL}${modelHash(model)}`)));
      const kept = partial.parse(JSON.parse(bytes.toString()));
      if (kept.start !== start) return [];
      return kept.vectors.map((text) => {
        const vector = Buffer.from(text, 'base64');
        return new Float32Array(Uint8Array.from(vector).buffer);
      });
    } catch (error) {
      if (error instanceof ChorusError && error.code === 'not_found') return [];
      throw error;
    }
  }

  async dropPartialVectors(model: string): Promise<void> {
    await this.#store.blobs.removeMany([await this.#key(`${PARTIAL}${modelHash(model)}`)]);
  }

  async keepVectors(models: readonly string[]): Promise<void> {
    const prefix = await this.#key('vectors-');
    const kept = models.map((model) => `${prefix}${modelHash(model)}-`);
    const others: string[] = [];
    for await (const key of this.#list(prefix)) if (!kept.some((begin) => key.startsWith(begin))) others.push(key);
    await this.#store.blobs.removeMany(others);
  }

  async #openPieces(): Promise<Readable | null> {
    try {
      return await this.#store.blobs.open(await this.#key(PIECES));
    } catch (error) {
      if (error instanceof ChorusError && error.code === 'not_found') return null;
      throw error;
    }
  }

  async *#list(prefix: string): AsyncGenerator<string, void, undefined> {
    for (let after: string | undefined; ; ) {
      const page = await this.#store.blobs.list({ prefix, ...(after === undefined ? {} : { after }) });
      for (const { key } of page.blobs) yield key;
      if (page.next === null) return;
      after = page.next;
    }
  }

  async #key(name: string): Promise<string> {
    return `${await this.#store.keys.ofRevision(this.#entryId, this.#revision)}${name}`;
  }

  #vectorKey(model: string, dimensions: number, start: number): Promise<string> {
    return this.#key(`vectors-${modelHash(model)}-${dimensions}-${start}`);
  }
}

const documentOf = (
  facts: Omit<DocumentFacts, 'version' | 'piece_count'>,
  pieces: readonly Piece[],
): DocumentFacts => ({ version: 1, ...facts, piece_count: pieces.length });

/** Identifies a model in a file name, since its own name has invalid characters. */
export const modelHash = (model: string): string => createHash('sha256').update(model).digest('hex').slice(0, 12);

async function* encoded(
  document: DocumentFacts,
  pieces: readonly Piece[],
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(`${JSON.stringify(document)}\n`);
  for (const { position, text, heading_path, page, kind } of pieces)
    yield Buffer.from(`${JSON.stringify({ position, text, heading_path, page, kind } satisfies Piece)}\n`);
}

async function* linesOf(stream: Readable): AsyncGenerator<string, void, undefined> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  let failure: unknown = null;
  // Line readers end silently when their source fails.
  stream.once('error', (error) => {
    failure = error;
    lines.close();
  });
  try {
    for await (const line of lines) yield line;
    if (failure !== null) throw failure;
  } finally {
    lines.close();
    stream.destroy();
  }
}
