/**
 * The port of the search engine: chunks of documents, found by their words and by their vectors, and texts, found by their words.
 * Several processes use one index at once. Every read sees what was committed before it began, by whichever process; a
 * read that would cross a change sees all of the old or all of the new.
 *
 * Everything throws ChorusError `store_unavailable` when the index does not answer in time.
 */
export interface Search {
  /**
   * The chunks whose vectors are of one space: a table of its own, made at its first use.
   *
   * @throws ChorusError invalid_request: the space is there with other dimensions, or has no valid name
   */
  chunks(space: VectorSpace): Promise<ChunkTable>;
  /** Names of the spaces that have a table. */
  spaces(): Promise<string[]>;
  /** Removes a space's table with all that is in it; one that is not there is removed already. */
  dropChunks(name: string): Promise<void>;
  /** Texts without vectors; `name` has letters, digits and dashes. The table is made at its first use. */
  texts(name: string): Promise<TextTable>;
  /** Removes all that any table has of a scope: what an erasure asks for. */
  removeScope(scopeKey: string): Promise<void>;
  /** Removes a user's texts in every scope; chunks know of no user. */
  removeUser(userId: string): Promise<void>;
  /**
   * Brings what was written since the last time into the indexes, joins small files, drops old versions. Costs seconds to minutes of
   * a core, in a process of its own; searches go on meanwhile and are right without it, only slower. Tables that need nothing cost
   * a look. Two at once are one too many, and do no harm.
   */
  maintain(options: { signal: AbortSignal }): Promise<MaintenanceReport>;
  /** Frees the disk from all that was deleted, and waits until that is done. Costs as much as writing what is kept in the files concerned. */
  purge(): Promise<void>;
  close(): void;
}

/** What `maintain` did. */
export interface MaintenanceReport {
  /** Names of the tables that were worked on. */
  tables: string[];
}

/** The vectors of one embedding model. Those of different spaces can't be compared. */
export interface VectorSpace {
  /** Letters, digits, dots and dashes, at most 100; such as `openai-text-embedding-3-small`. */
  name: string;
  dimensions: number;
}

/** A piece of a document without its vector. */
export interface StoredChunk {
  /** `${entry_id}:${revision}:${position}` */
  id: string;
  scope_key: string;
  entry_id: string;
  revision: number;
  tags: string[];
  /** The entry's. */
  title: string;
  text: string;
  heading_path: string[];
  /** From 1; null in documents without pages. */
  page: number | null;
  /** Its place in the document: 0, 1, 2, … without gaps. */
  position: number;
}

export interface ChunkRow extends StoredChunk {
  /** Of the space's dimensions; null: found by its words alone. */
  vector: Float32Array | null;
}

export interface ChunkQuery {
  scopeKey: string;
  /** What is looked for in words; its analysis is this package's business. */
  text?: string | undefined;
  /** What is looked for as a vector of the table's space. One of both is needed; neither finds nothing. */
  vector?: Float32Array | undefined;
  /** Only entries that have one of these. */
  tags?: readonly string[] | undefined;
  /** Only these entries. */
  entryIds?: readonly string[] | undefined;
  limit: number;
  /** The vector's share of the score where both are given, 0 to 1: measured for each embedding model. */
  weight: number;
}

/** A chunk that was found. Scores are 0 to 1 and comparable within one answer. */
export interface Hit extends StoredChunk {
  /** What hits are ordered by, the best first: `(1 - weight) * textScore + weight * vectorScore`. */
  score: number;
  /** BM25 as a share of the best candidate's; 0 where no word is in the chunk, or no text was looked for. */
  textScore: number;
  /** Cosine similarity, from the least of the candidates (0) to the greatest (1); 0 without a vector. */
  vectorScore: number;
  /** The cosine itself, -1 to 1: comparable between searches of one model; null where there is nothing to compare. */
  similarity: number | null;
}

export interface ChunkTable {
  readonly space: VectorSpace;
  /**
   * Puts an entry's chunks in the place of those that it had. Readers see all of the old until they see all of the new. Memory is
   * bounded however many there are; what a process leaves that dies in the midst is never seen, and goes with `maintain`.
   * No rows: the entry is removed.
   *
   * @throws ChorusError invalid_request: a row is of another scope or entry, has another id than it should, or a vector of other dimensions
   */
  replace(scopeKey: string, entryId: string, rows: AsyncIterable<ChunkRow> | readonly ChunkRow[]): Promise<void>;
  /** Changes what an entry's chunks say of it, in one step. */
  setFacts(scopeKey: string, entryId: string, facts: { title?: string; tags?: readonly string[] }): Promise<void>;
  remove(scopeKey: string, entryIds: readonly string[]): Promise<void>;
  removeScope(scopeKey: string): Promise<void>;
  find(query: ChunkQuery): Promise<Hit[]>;
  /**
   * Reads what a search of the scope by a vector will take, for who is still waiting for that vector. Never fails, and need not be waited for.
   */
  prepare(scopeKey: string): Promise<void>;
  /** An entry's chunks by their positions, from the one behind `after` on. */
  read(page: { scopeKey: string; entryId: string; after?: number | undefined; limit: number }): Promise<StoredChunk[]>;
  /** All chunks as they are now, of all scopes or one, in no order. */
  scan(options?: { scopeKey?: string }): AsyncIterable<StoredChunk>;
  count(which?: { scopeKey?: string; entryIds?: readonly string[] }): Promise<number>;
}

/** A text that is found by its words: an archive unit, a session. */
export interface TextRow {
  id: string;
  scope_key: string;
  user_id: string;
  text: string;
  /** More that the caller wants back, such as a revision. */
  facts: Record<string, string | number>;
}

export interface TextQuery {
  scopeKey: string;
  /** Only what this user owns. */
  userId?: string | undefined;
  text: string;
  limit: number;
  /** How many of the best are left out: those of the pages before. Nothing is found beyond the first 10,000. */
  after?: number | undefined;
}

export interface TextHit {
  id: string;
  /** BM25: more is better. */
  score: number;
  facts: Record<string, string | number>;
}

export interface TextTable {
  /** Stores each, in the place of the one with its id, in one step for all. At most 1,000 at once. */
  put(rows: readonly TextRow[]): Promise<void>;
  /** At most 1,000 at once. */
  remove(ids: readonly string[]): Promise<void>;
  removeScope(scopeKey: string): Promise<void>;
  /** What holds at least one of the words, the best first, then by id. */
  find(query: TextQuery): Promise<TextHit[]>;
  count(which?: { scopeKey?: string }): Promise<number>;
}
