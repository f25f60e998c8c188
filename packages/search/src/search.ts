/**
 * Port of the search engine: document chunks by words and vectors, and texts by words.
 *
 * Several processes share an index. Every read sees all commits from before it began, and never a half-finished
 * change. All methods throw ChorusError `store_unavailable` if the index does not respond in time.
 */
export interface Search {
  /**
   * Opens the chunk table of a vector space. Creates it on first use.
   *
   * @throws {ChorusError} invalid_request if the space has other dimensions or an invalid name
   */
  chunks(space: VectorSpace): Promise<ChunkTable>;
  spaces(): Promise<string[]>;
  dropChunks(name: string): Promise<void>;
  /** Opens a table of texts without vectors. Creates it on first use. `name` has letters, digits, and dashes. */
  texts(name: string): Promise<TextTable>;
  removeScope(scopeKey: string): Promise<void>;
  /** Removes a user's texts in every scope. Chunks have no user. */
  removeUser(userId: string): Promise<void>;
  /**
   * Indexes recent writes, compacts small files, and drops old versions. Takes seconds to minutes of CPU time in a
   * separate process. Meanwhile, searches stay correct, but are slower. Concurrent calls are wasteful but harmless.
   */
  maintain(options: { signal: AbortSignal }): Promise<MaintenanceReport>;
  /** Frees the disk space of all deleted data. Costs as much as rewriting the affected files. */
  purge(): Promise<void>;
  close(): void;
}

export interface MaintenanceReport {
  tables: string[];
}

/** Vectors of one embedding model. Vectors of different spaces cannot be compared. */
export interface VectorSpace {
  /** Up to 100 letters, digits, dots, and dashes, like `openai-text-embedding-3-small`. */
  name: string;
  dimensions: number;
}

export interface StoredChunk {
  /** `${entry_id}:${revision}:${position}` */
  id: string;
  scope_key: string;
  entry_id: string;
  revision: number;
  tags: string[];
  title: string;
  text: string;
  heading_path: string[];
  /** From 1; null in documents without pages. */
  page: number | null;
  position: number;
}

export interface ChunkRow extends StoredChunk {
  /** Null: it can only be found by words. */
  vector: Float32Array | null;
}

export interface ChunkQuery {
  scopeKey: string;
  text?: string | undefined;
  /**
   * Search vector in the table's space, or a promise of it, so that the scope is read meanwhile. Null: words only.
   * Without text and vector, nothing is found.
   */
  vector?: Float32Array | null | undefined | Promise<Float32Array | null>;
  tags?: readonly string[] | undefined;
  entryIds?: readonly string[] | undefined;
  limit: number;
  /** Weight of the vector if both are given, 0 to 1. Measured for each embedding model. */
  weight: number;
}

/** A chunk that was found. Scores are 0 to 1 and comparable within one answer. */
export interface Hit extends StoredChunk {
  /** Sort key: `(1 - weight) * textScore + weight * vectorScore`. */
  score: number;
  /** BM25 relative to the best candidate. 0 without a matching word. */
  textScore: number;
  /** Cosine similarity, scaled from the lowest candidate (0) to the highest (1). 0 without a vector. */
  vectorScore: number;
  /** Raw cosine, -1 to 1, comparable between searches with one model. Null without a vector. */
  similarity: number | null;
}

export interface ChunkTable {
  readonly space: VectorSpace;
  /**
   * Replaces an entry's chunks atomically. Without rows, removes the entry. Memory is bounded. Leftovers of a process
   * that dies meanwhile are never visible, and `maintain` removes them.
   *
   * @throws {ChorusError} invalid_request for a row with the wrong scope, entry, id, or dimensions
   */
  replace(scopeKey: string, entryId: string, rows: AsyncIterable<ChunkRow> | readonly ChunkRow[]): Promise<void>;
  setFacts(scopeKey: string, entryId: string, facts: { title?: string; tags?: readonly string[] }): Promise<void>;
  remove(scopeKey: string, entryIds: readonly string[]): Promise<void>;
  removeScope(scopeKey: string): Promise<void>;
  find(query: ChunkQuery): Promise<Hit[]>;
  read(page: { scopeKey: string; entryId: string; after?: number | undefined; limit: number }): Promise<StoredChunk[]>;
  /** Yields all current chunks of one scope or all, in no particular order. */
  scan(options?: { scopeKey?: string }): AsyncIterable<StoredChunk>;
  count(which?: { scopeKey?: string; entryIds?: readonly string[] }): Promise<number>;
}

export interface TextRow {
  id: string;
  scope_key: string;
  user_id: string;
  text: string;
  facts: Record<string, string | number>;
}

export interface TextQuery {
  scopeKey: string;
  userId?: string | undefined;
  text: string;
  /** Finds only texts with every word of `text`. By default, one is enough. */
  everyWord?: boolean | undefined;
  /** At most 10,000. Of equally good hits, a smaller limit may return others than a larger one. */
  limit: number;
}

export interface TextHit {
  id: string;
  /** BM25, higher is better. */
  score: number;
  /** Whether the words follow one another in the text, if that was checked. */
  isPhrase: boolean;
  facts: Record<string, string | number>;
}

export interface TextTable {
  /** Inserts or replaces rows by id, atomically. At most 1,000 at once. */
  put(rows: readonly TextRow[]): Promise<void>;
  /** At most 1,000 at once. */
  remove(ids: readonly string[]): Promise<void>;
  removeScope(scopeKey: string): Promise<void>;
  /** Finds texts with at least one of the words, best first, then by id. */
  find(query: TextQuery): Promise<TextHit[]>;
  count(which?: { scopeKey?: string }): Promise<number>;
}
