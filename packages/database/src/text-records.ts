import type { Owner } from '@chorus/contract';

/** What is searched by its words, each in a full-text index of its own. */
export const TEXT_KINDS = ['archive', 'sessions', 'messages'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** A record whose words the full-text index does not have as they are now. */
export interface UnindexedText {
  id: string;
  scope_key: string;
  /** Who made it. */
  user_id: string;
  text: string;
  /** Of these very words: the next change of the record gives it another. */
  mark: string;
}

/**
 * What the full-text indexes have to learn of the records, which are the truth. The write that changes a record's words marks it, so nothing is forgotten
 * when a process dies; a sparse index finds what is marked.
 */
export interface TextRepository {
  /** For the indexer: what is marked, over all owners, in the order of the marks; some 16 MB of it at most. */
  listUnindexed(kind: TextKind, query: { after?: string | undefined; limit: number }): Promise<UnindexedText[]>;
  /** For a search that is to find what was just written: what is marked of a scope, or of one maker there; some 16 MB of it at most. */
  unindexedOf(kind: TextKind, owner: Owner, query: { ofMaker: boolean; limit: number }): Promise<UnindexedText[]>;
  /** The index has these words. Where a record has others by now it is marked again, since it is not known which of the two the index took last. */
  noteIndexed(kind: TextKind, texts: readonly Pick<UnindexedText, 'id' | 'mark'>[]): Promise<void>;
  /**
   * Marks what there is, for an index that is made anew: some records behind the id `after`. Answers the last id; null: there are no more.
   */
  markAll(kind: TextKind, query: { after: string; limit: number }): Promise<string | null>;
  /** Which of these records there are, over all owners. */
  existing(kind: TextKind, ids: readonly string[]): Promise<Set<string>>;
  /** What is to go from an index: records that were deleted, or are just being. Due until `now`, the longest first. */
  listRemovals(now: Date, limit: number): Promise<TextRemoval[]>;
  /** Looks at a removal once more at `due`; null: it is done for good. */
  setRemovalDue(id: string, due: Date | null): Promise<void>;
}

export interface TextRemoval {
  id: string;
  kind: TextKind;
  record_ids: string[];
  /** Whether it was looked at before. */
  seen: boolean;
}
