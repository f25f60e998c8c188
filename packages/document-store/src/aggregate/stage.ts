import type { Document } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import type { Query, QueryRequest } from '../plan/query.ts';
import type { Source } from '../plan/source.ts';
import type { Store } from '../store.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import type { Scope } from './scope.ts';

export type Stage = (source: Source) => Source;

export interface PipelineContext {
  store: Store;
  database: string;
  /** The collection the pipeline starts with; undefined inside `$facet`. */
  collection: string | undefined;
  scope: Scope;
  depth: number;
}

/** A validated pipeline. It must not run twice at the same time. */
export interface CompiledPipeline {
  open(filter?: Document, hint?: unknown): Source;
  apply(source: Source): Source;
  /** Returns the query that runs the first stages, and the stages after it. */
  explain(hint?: unknown): { query: Query; request: QueryRequest; rest: Document[] };
}

export type CompileInner = (stages: unknown, context: PipelineContext) => CompiledPipeline;

export function readStage(stage: unknown): { name: string; argument: unknown } {
  if (!isFields(stage)) throw failedToParse('Each element of the pipeline array must be an object');
  const [name, ...others] = fieldNames(stage);
  if (name !== undefined && others.length === 0) return { name, argument: getField(stage, name) };
  throw locationError(40323, 'A pipeline stage specification object must contain exactly one field.');
}
