import type {
  ErrorBody,
  IngestionStage,
  KnowledgeEntry,
  KnowledgeQuery,
  KnowledgeSource,
  KnowledgeStatus,
  Owner,
  Page,
} from '@chorus/contract';

/** A document as it is known to questions, and what is being done to it. Its text and chunks lie in object storage, its vectors in the search index. */
export interface KnowledgeRecord extends Omit<KnowledgeEntry, 'object' | 'user_id' | 'created_at' | 'updated_at'> {
  owner: Owner;
  /** Whether somebody chose the title; else the document's own takes its place. */
  title_given: boolean;
  /** ISO 639-2 codes, the likeliest first; empty: the usual ones. */
  languages: string[];
  /** What in the entry's folder of object storage is the text of the newest revision; null: its source is no text. */
  text_name: string | null;
  /** Files of earlier revisions, removed once the newest one is searchable. */
  former_asset_ids: string[];
  /** The vector spaces in which `searchable_revision` can be found. */
  spaces: string[];
  /** Goes up with each change of title or tags, so that who has told them to the index sees that they changed meanwhile. */
  facts_revision: number;
  /** Since when the newest revision is processed; null: it is not. */
  processing_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** What a new revision of an entry begins with. */
export interface NewRevision {
  execution_id: string;
  source: KnowledgeSource;
  text_name: string | null;
  size_bytes: number | null;
  sha256: string | null;
  former_asset_ids: string[];
}

/** What was found out of a document while it was processed. */
export interface KnownOfDocument {
  title?: string;
  size_bytes?: number;
  sha256?: string;
  page_count?: number | null;
  mime_type?: string;
  warnings?: string[];
}

/** What makes a revision searchable. */
export interface Publication {
  execution_id: string;
  revision: number;
  chunk_count: number;
  embedding_model: string | null;
  /** All spaces in which it can be found now. */
  spaces: string[];
}

export interface KnowledgeCounts extends Record<KnowledgeStatus, number> {
  total: number;
}

/** Where an entry's ingestion is. */
export interface Processing {
  id: string;
  owner: Owner;
  execution_id: string | null;
  processing_since: Date;
}

/** Entries belong to a scope: members of a workspace share them. One that is being deleted is nowhere to be seen. */
export interface KnowledgeRepository {
  /**
   * @param claimsContent whether no other entry that claims its content may have the same
   * @returns false: another entry of the scope claims this content, or the id exists
   */
  insert(record: KnowledgeRecord, claimsContent: boolean): Promise<boolean>;
  get(owner: Owner, id: string): Promise<KnowledgeRecord | null>;
  /** Those of these that there are, in no order. */
  getMany(owner: Owner, ids: readonly string[]): Promise<KnowledgeRecord[]>;
  /** The newest entry that has this content. */
  findContent(owner: Owner, sha256: string): Promise<KnowledgeRecord | null>;
  /** Newest first. The cursor is the last id; another one throws `invalid_request`. */
  list(owner: Owner, query: KnowledgeQuery): Promise<Page<KnowledgeRecord>>;
  /** Of what the query's filters leave, whatever their status. */
  counts(owner: Owner, query: Pick<KnowledgeQuery, 'tag' | 'source' | 'q'>): Promise<KnowledgeCounts>;
  patch(
    owner: Owner,
    id: string,
    patch: { title?: string | undefined; tags?: string[] | undefined; metadata?: Record<string, string> | undefined },
  ): Promise<KnowledgeRecord | null>;
  /** Takes the number after `from` for a new content, which is then processed. Null: it is not at `from`. */
  revise(owner: Owner, id: string, from: number, revision: NewRevision): Promise<KnowledgeRecord | null>;
  /** failed → processing, by another execution. Null: the newest revision has not failed. */
  begin(owner: Owner, id: string, executionId: string): Promise<KnowledgeRecord | null>;
  /** Takes back `insert`, where its execution could not be begun. */
  abandon(owner: Owner, id: string, executionId: string): Promise<void>;

  /** For the ingestion: where it is, and what it found. False: this execution has the entry no more. */
  noteProgress(
    owner: Owner,
    id: string,
    executionId: string,
    progress: { stage: IngestionStage } & KnownOfDocument,
  ): Promise<boolean>;
  /** For the ingestion: processing → ready. Null: this execution has the entry no more. */
  publish(owner: Owner, id: string, publication: Publication): Promise<KnowledgeRecord | null>;
  /** For an ingestion that lost the entry to a newer content: what it made searchable is newer than what was. False: it is not, or the entry is gone. */
  publishEarlier(owner: Owner, id: string, publication: Publication): Promise<boolean>;
  /** processing → failed, unless another execution has it or it is ready. Can be repeated. */
  fail(owner: Owner, id: string, executionId: string | null, error: ErrorBody): Promise<boolean>;
  /** For sweeps: what is processed since before `since`, over all owners, by id. */
  listProcessing(query: { since: Date; limit: number; after?: string | undefined }): Promise<Processing[]>;

  /** The searchable revision can be found in another space now. False: another one is searchable, or the entry is gone. */
  addSpace(owner: Owner, id: string, revision: number, space: string): Promise<boolean>;
  /** No entry is in this space any more. */
  dropSpace(space: string): Promise<void>;
  /** All that is in this space is searched by vectors of this model from now on. */
  noteModel(space: string, model: string): Promise<void>;
  /** What is searchable and not in this space, over all owners, by id. */
  listOutside(space: string, query: { limit: number; after?: string | undefined }): Promise<KnowledgeRecord[]>;

  /** Hides an entry for good; what it was, until `remove`. Null: there is none. */
  hide(owner: Owner, id: string): Promise<KnowledgeRecord | null>;
  /** For sweeps: what is hidden and still there, over all owners, by id. */
  listHidden(query: { limit: number; after?: string | undefined }): Promise<KnowledgeRecord[]>;
  remove(owner: Owner, id: string): Promise<void>;
  /** For sweeps: which of these there are, hidden or not, over all owners. */
  existing(ids: readonly string[]): Promise<Set<string>>;
}

/** Vectors of one embedding model, and the table of the index that holds them. */
export interface StoredSpace {
  /** Of the table. */
  name: string;
  /** `provider/model` */
  model: string;
  dimensions: number;
}

/** By which vectors the knowledge of all owners is searched. */
export interface KnowledgeSpaces {
  /** The embedding model that is configured, as the worker says that started last; null: none has started yet. */
  wanted: string | null;
  /** What questions search; null: nothing was embedded yet. */
  current: StoredSpace | null;
  /** What is being filled to take its place. */
  next: StoredSpace | null;
  /** What was searched until some moment; its table is still there. */
  former: (StoredSpace & { since: Date })[];
}

export interface KnowledgeSpaceRepository {
  get(): Promise<KnowledgeSpaces>;
  /** Says which model is configured. */
  want(model: string): Promise<KnowledgeSpaces>;
  /** Something was embedded: that is what is searched, if nothing was yet. */
  found(space: StoredSpace): Promise<KnowledgeSpaces>;
  /** What is filled from now on, unless that is searched already; null: nothing. */
  prepare(space: StoredSpace | null): Promise<KnowledgeSpaces>;
  /** Has questions search what was prepared. False: it was not this one that was prepared. */
  switchTo(space: StoredSpace): Promise<boolean>;
  /** The table of a former space is gone. */
  forget(name: string): Promise<void>;
}
