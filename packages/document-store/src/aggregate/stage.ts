import type { Document } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import type { Query, QueryRequest } from '../plan/query.ts';
import type { Source } from '../plan/source.ts';
import type { Store } from '../store.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import type { Scope } from './scope.ts';

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

/** A checked pipeline; a scope runs one at a time. */
export interface CompiledPipeline {
  /** Opens it on its collection; `filter` is one more condition that goes before its stages. */
  open(filter?: Document, hint?: unknown): Source;
  /** Runs all stages on documents that come from elsewhere. */
  apply(source: Source): Source;
  /** The query that stands for its first stages, and those that follow it, for explain. */
  explain(hint?: unknown): { query: Query; request: QueryRequest; rest: Document[] };
}

/** Compiles a pipeline that lies in a stage. */
export type CompileInner = (stages: unknown, context: PipelineContext) => CompiledPipeline;

/** A stage's name and argument. Throws 40323 for what is no document of one field. */
export function readStage(stage: unknown): { name: string; argument: unknown } {
  if (!isFields(stage)) throw failedToParse('Each element of the pipeline array must be an object');
  const [name, ...others] = fieldNames(stage);
  if (name !== undefined && others.length === 0) return { name, argument: getField(stage, name) };
  throw locationError(40323, 'A pipeline stage specification object must contain exactly one field.');
}
