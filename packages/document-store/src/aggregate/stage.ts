import type { Document } from 'bson';
import { StoreError } from '../errors.ts';
import type { Query, QueryRequest } from '../plan/query.ts';
import { Candidate, type Portions, type Source } from '../plan/scan.ts';
import type { Store } from '../store.ts';
import type { Scope } from './operator.ts';

/** A compiled stage. */
export type Stage = (source: Source) => Source;

/** What a pipeline is compiled in. */
export interface PipelineContext {
  store: Store;
  database: string;
  /** The collection that it begins with; undefined inside `$facet`. */
  collection: string | undefined;
  scope: Scope;
  /** How many pipelines it lies in. */
  depth: number;
}

/** A checked pipeline. Its documents come in portions, each a short piece of work; a scope runs one pipeline at a time. */
export interface CompiledPipeline {
  /** Opens it on its collection; `filter` is one more condition that goes before its stages. */
  open(filter?: Document, hint?: unknown): Source;
  /** Runs all stages on documents that come from elsewhere. */
  apply(source: Source): Source;
  /** The query that stands for its first stages, and those that follow it, for explain. */
  explain(hint?: unknown): { query: Query; request: QueryRequest; rest: Document[] };
}

/** What a stage may hold. */
export const STAGE_BYTES = 100 * 1024 * 1024;
export const PORTION = 128;

/** Throws QueryExceededMemoryLimitNoDiskUseAllowed when a stage holds too much. */
export function checkHeld(bytes: number, name: string): void {
  if (bytes <= STAGE_BYTES) return;
  throw new StoreError(
    292,
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Exceeded memory limit for ${name}: ${STAGE_BYTES} bytes, and this server does not sort or group on disk.`,
  );
}

/** The candidates of documents, some at a time. */
export function* portioned(documents: Iterable<Document>): Portions {
  let portion: Candidate[] = [];
  for (const document of documents) {
    if (portion.push(Candidate.of(document)) < PORTION) continue;
    yield portion;
    portion = [];
  }
  yield portion;
}
