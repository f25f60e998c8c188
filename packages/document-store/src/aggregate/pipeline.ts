import { type Document, Int32 } from 'bson';
import { failedToParse, locationError, typeMismatch } from '../errors.ts';
import { countQuery } from '../plan/counting.ts';
import { changed, type QueryRequest } from '../plan/query.ts';
import { Candidate, type Source } from '../plan/source.ts';
import type { Collection } from '../storage/collection.ts';
import type { Store } from '../store.ts';
import { integer } from '../values/arithmetic.ts';
import { fieldNames, isFields } from '../values/fields.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { Variables } from './expression.ts';
import { expandBucket } from './group.ts';
import { equalitiesOf } from './narrowing.ts';
import type { Scope } from './scope.ts';
import { shapes } from './shape.ts';
import { type CompiledPipeline, type PipelineContext, readStage, type Stage } from './stage.ts';
import { stages as stageCompilers } from './stages.ts';

/** The pipeline of an `aggregate` command. */
export function readPipeline(store: Store, database: string, command: Document): CompiledPipeline {
  const { aggregate: collection, pipeline, let: variables } = command;
  if (typeof collection !== 'string') throw failedToParse('this server aggregates collections only');
  if (variables !== undefined && !isFields(variables)) throw typeMismatch('Expected field let to be of type object');
  return compilePipeline(pipeline, { store, database, collection, scope: Variables.of(variables), depth: 0 });
}

interface NamedStage {
  name: string;
  argument: unknown;
}

interface ReadyStage extends NamedStage {
  apply: Stage;
}

const MAX_STAGES = 1000;
const MAX_DEPTH = 20;

/** Compiles a pipeline whole. Throws for unknown and malformed stages and expressions before any document is read. */
function compilePipeline(stages: unknown, context: PipelineContext): CompiledPipeline {
  if (!Array.isArray(stages)) throw failedToParse("'pipeline' option must be specified as an array");
  if (stages.length > MAX_STAGES) throw locationError(7749501, `a pipeline has at most ${MAX_STAGES} stages`);
  if (context.depth > MAX_DEPTH) throw locationError(5, `Pipelines are nested over ${MAX_DEPTH} deep`);
  const { store, scope } = context;
  const expanded = stages.flatMap((stage) => expand(stage, scope));
  const compiled = expanded.map((stage, at) => ({ ...stage, apply: compileStage(stage, expanded[at + 1], context) }));
  const { request, taken } = takeQuery(compiled);
  const rest = compiled.slice(taken);
  const findCollection = (): Collection | undefined => store.catalog.find(context.database, context.collection ?? '');
  const requestWith = (filter: Document | undefined, hint: unknown): QueryRequest => {
    const conditions = [request.filter, ...(filter ? [filter] : []), ...equalitiesOf(request.filter, scope)];
    return { ...request, filter: conditions.length > 1 ? { $and: conditions } : request.filter, hint, scope };
  };
  return {
    open(filter, hint) {
      const wanted = requestWith(filter, hint);
      const [first, ...others] = rest;
      const count = first && !wanted.sort ? readCount(first) : undefined;
      if (count) return through(counted(store, findCollection(), wanted, count), others);
      return through(store.openQuery(findCollection(), wanted).source, rest);
    },
    apply: (source) => through(source, compiled),
    explain(hint) {
      const wanted = requestWith(undefined, hint);
      const query = store.openQuery(findCollection(), wanted);
      return {
        query: { ...query, source: through(query.source, rest) },
        request: { ...wanted, filter: request.filter },
        rest: rest.map(({ name, argument }) => ({ [name]: argument })),
      };
    },
  };
}

function through(source: Source, stages: readonly ReadyStage[]): Source {
  return stages.reduce((current, { apply }) => apply(current), source);
}

/** Takes the stages off the front that together are what `find` does. */
function takeQuery(stages: readonly ReadyStage[]): { request: QueryRequest; taken: number } {
  const filters: Document[] = [];
  let taken = 0;
  const next = (name: string): unknown => (stages[taken]?.name === name ? stages[taken++]?.argument : undefined);
  for (let filter = next('$match'); filter; filter = next('$match')) filters.push(filter as Document);
  const request: QueryRequest = { filter: filters.length > 1 ? { $and: filters } : (filters[0] ?? {}) };
  const [sort, skip, limit] = [next('$sort'), next('$skip'), next('$limit')];
  if (sort) request.sort = sort as Document;
  if (skip) request.skip = nearestDouble(skip) as number;
  if (limit) request.limit = nearestDouble(limit) as number;
  return { request, taken };
}

/** Writes stages that are short for others out. */
function expand(stage: unknown, scope: Scope): NamedStage[] {
  const { name, argument } = readStage(stage);
  const written = (...documents: Document[]): NamedStage[] => documents.flatMap((document) => expand(document, scope));
  const one = { $sum: new Int32(1) };
  switch (name) {
    case '$bucket':
      return written(...expandBucket(argument, scope));
    case '$sortByCount':
      if (!isFields(argument) && !(typeof argument === 'string' && argument.startsWith('$'))) {
        throw locationError(40147, 'the sortByCount field must be defined as a $-prefixed path or an expression');
      }
      return written({ $group: { _id: argument, count: one } }, { $sort: { count: new Int32(-1) } });
    case '$count':
      if (typeof argument !== 'string' || argument === '' || argument.startsWith('$') || argument.includes('.')) {
        throw locationError(40156, "the count field must be a non-empty string, without '$' and without '.'");
      }
      return written({ $group: { _id: null, [argument]: one } }, { $project: { _id: false } });
    default:
      return [{ name, argument }];
  }
}

function compileStage({ name, argument }: NamedStage, next: NamedStage | undefined, context: PipelineContext): Stage {
  const shape = shapes.get(name)?.(argument, context.scope, name);
  if (shape) return (source) => changed(source, ({ document }) => Candidate.of(shape(document)));
  const inner = { ...context, depth: context.depth + 1 };
  const stage = stageCompilers.get(name)?.(argument, inner, compilePipeline, next);
  if (stage) return stage;
  throw locationError(40324, `Unrecognized pipeline stage name: '${name}': this server has none of that name`);
}

/** A group that only counts everything, as countDocuments sends it: its `_id`, and the name of the count. */
function readCount({ name, argument }: ReadyStage): { _id: unknown; field: string } | undefined {
  if (name !== '$group' || !isFields(argument)) return undefined;
  const { _id, ...fields } = argument as Document;
  const [field = '', ...others] = fieldNames(fields);
  const isSum = isFields(fields[field]) && fieldNames(fields[field]).join() === '$sum';
  const counts = isSum && others.length === 0 && nearestDouble(fields[field].$sum) === 1;
  return counts && (_id === null || isNumber(_id)) ? { _id, field } : undefined;
}

/** One document with the count of everything, or none when there is nothing to count. */
function* counted(
  store: Store,
  collection: Collection | undefined,
  request: QueryRequest,
  { _id, field }: { _id: unknown; field: string },
): Source {
  let count = 0;
  for (const portion of countQuery(store, collection, request)) {
    count += portion;
    yield [];
  }
  if (count > 0) yield [Candidate.of({ _id, [field]: integer(count) })];
}
