import { type Document, Int32 } from 'bson';
import { failedToParse, locationError, typeMismatch } from '../errors.ts';
import { type CountSource, openCount } from '../plan/counting.ts';
import { changed, filtered, type QueryRequest, windowed } from '../plan/query.ts';
import { Candidate, type Portions, portionsOf, type Source, sourceOf } from '../plan/scan.ts';
import { sorted } from '../plan/sorting.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileSort } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Store } from '../store.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { Variables } from './expression.ts';
import { compileFacet } from './facet.ts';
import { compileGroup, expandBucket } from './group.ts';
import { compileLookup } from './lookup.ts';
import { equalitiesOf } from './narrowing.ts';
import { integer, namedArguments, type Scope } from './operator.ts';
import { readSampleSize, sample, sampleCollection } from './sample.ts';
import { shapes } from './shape.ts';
import type { CompiledPipeline, PipelineContext, Stage } from './stage.ts';
import { product } from './sum.ts';
import { compileUnwind } from './unwind.ts';
import { readStage } from './update-pipeline.ts';

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
export function compilePipeline(stages: unknown, context: PipelineContext): CompiledPipeline {
  if (!Array.isArray(stages)) throw failedToParse("'pipeline' option must be specified as an array");
  if (stages.length > MAX_STAGES)
    throw locationError(7749501, `Pipeline length must be no longer than ${MAX_STAGES} stages`);
  if (context.depth > MAX_DEPTH) throw locationError(5, `Pipelines are nested over ${MAX_DEPTH} deep`);
  const { store, scope } = context;
  const expanded = stages.flatMap((stage) => expand(stage, scope));
  const compiled = expanded.map((stage, at) => ({ ...stage, apply: compileStage(expanded.slice(at), context) }));
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
      const collection = findCollection();
      const [first, ...others] = rest;
      const short = first && openShort(store, collection, wanted, first);
      return short ? through(short, others) : through(store.openQuery(collection, wanted).source, rest);
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
  if (name === '$bucket') return expandBucket(argument, scope).flatMap((part) => expand(part, scope));
  if (name === '$sortByCount') {
    if (!isFields(argument) && !(typeof argument === 'string' && argument.startsWith('$'))) {
      throw locationError(40147, 'the sortByCount field must be defined as a $-prefixed path or an expression');
    }
    const group = { _id: argument, count: { $sum: new Int32(1) } };
    return [
      { name: '$group', argument: group },
      { name: '$sort', argument: { count: new Int32(-1) } },
    ];
  }
  if (name !== '$count') return [{ name, argument }];
  if (typeof argument !== 'string' || argument === '' || argument.startsWith('$') || argument.includes('.')) {
    throw locationError(40156, "the count field must be a non-empty string, without '$' in front and without '.'");
  }
  return [
    { name: '$group', argument: { _id: null, [argument]: { $sum: new Int32(1) } } },
    { name: '$project', argument: { _id: false } },
  ];
}

/** Compiles the first of some stages. */
function compileStage([first, next]: NamedStage[], context: PipelineContext): Stage {
  const { name, argument } = first as NamedStage;
  const { scope } = context;
  const shape = shapes.get(name)?.(argument, scope, name);
  if (shape) return (source) => changed(source, ({ document }) => Candidate.of(shape(document)));
  const compile = compilers.get(name);
  if (compile) return compile(argument, { ...context, depth: context.depth + 1 }, next);
  throw locationError(40324, `Unrecognized pipeline stage name: '${name}': this server has none of that name`);
}

type CompileStage = (argument: unknown, inner: PipelineContext, next: NamedStage | undefined) => Stage;

/** The stages that make other documents than one of each; `inner` is the context of the pipelines in them. */
const compilers = new Map<string, CompileStage>([
  ['$facet', compileFacetStage],
  ['$group', (argument, { scope }) => compileGroup(argument, scope)],
  ['$limit', (argument) => compileWindow(0, countOf('$limit', argument))],
  ['$lookup', (argument, inner) => compileLookup(argument, inner, compilePipeline)],
  ['$match', compileMatch],
  [
    '$sample',
    (argument) => {
      const size = readSampleSize(argument);
      return (source) => sourceOf(sample(source, size));
    },
  ],
  ['$skip', (argument) => compileWindow(countOf('$skip', argument))],
  ['$sort', compileSortStage],
  ['$unionWith', compileUnion],
  ['$unwind', compileUnwind],
]);

function compileMatch(argument: unknown, { scope }: PipelineContext): Stage {
  if (!isFields(argument)) throw locationError(15959, 'the match filter must be an expression in an object');
  const matches = compileFilter(argument, scope);
  return (source) => filtered(source, matches);
}

function compileSortStage(argument: unknown, _inner: PipelineContext, next: NamedStage | undefined): Stage {
  if (!isFields(argument)) throw locationError(15973, 'the $sort key specification must be an object');
  if (fieldNames(argument).length === 0) throw locationError(15976, '$sort stage must have at least one sort key');
  const limit = next?.name === '$limit' ? countOf('$limit', next.argument) : undefined;
  const comparator = compileSort(argument);
  return (source) => sorted(source, comparator, limit);
}

function compileWindow(skip: number, limit?: number): Stage {
  if (limit === 0) throw locationError(15958, 'the limit must be positive');
  return (source) => windowed(source, skip, limit);
}

function compileFacetStage(argument: unknown, inner: PipelineContext): Stage {
  if (inner.collection === undefined)
    throw locationError(40600, '$facet is not allowed to be used within a $facet stage');
  return compileFacet(argument, (stages) => compilePipeline(stages, { ...inner, collection: undefined }));
}

function countOf(name: string, argument: unknown): number {
  const number = nearestDouble(argument);
  if (number === undefined || !(number >= 0) || !Number.isInteger(number)) {
    throw locationError(5107200, `invalid argument to ${name} stage: Expected a non-negative number`);
  }
  return number;
}

/** `$unionWith`: what another pipeline gives, after the documents. */
function compileUnion(argument: unknown, inner: PipelineContext): Stage {
  const operand = typeof argument === 'string' ? { coll: argument } : argument;
  const given = namedArguments(operand, '$unionWith', ['coll', 'pipeline?'], [9, 40415, 40414]);
  const collection = given.get('coll');
  if (typeof collection !== 'string') throw failedToParse("'coll' of $unionWith must be the name of a collection");
  const pipeline = compilePipeline(given.get('pipeline') ?? [], { ...inner, collection });
  return (source) => sourceOf(union(source, pipeline));
}

function* union(source: Source, pipeline: CompiledPipeline): Portions {
  yield* portionsOf(source);
  yield* portionsOf(pipeline.open());
}

/** What a pipeline's first stage gives, where that does not need the documents that come to it. */
function openShort(
  store: Store,
  collection: Collection | undefined,
  request: QueryRequest,
  first: ReadyStage,
): Source | undefined {
  const { filter, sort, skip, limit, hint } = request;
  if (!sort && isCount(first)) return sourceOf(count(openCount(store, collection, request), first.argument as Fields));
  const isWhole = !sort && !skip && !limit && !hint && fieldNames(filter).length === 0;
  if (!collection || !isWhole || first.name !== '$sample') return undefined;
  return sampleCollection(store, collection, readSampleSize(first.argument));
}

/** True for a group over everything whose sums don't look into the documents, as countDocuments sends it. */
function isCount({ name, argument }: NamedStage): boolean {
  if (name !== '$group' || !isFields(argument)) return false;
  return fieldNames(argument).every((field) => {
    const value = getField(argument, field);
    if (field === '_id') return value === null || isNumber(value);
    return isFields(value) && fieldNames(value).join() === '$sum' && isNumber(getField(value, '$sum'));
  });
}

/** One document with the count of everything, or none when there is nothing to count. */
function* count(counts: CountSource, fields: Fields): Portions {
  let count = 0;
  for (let portion = counts.pull(); portion !== undefined; portion = counts.pull()) {
    count += portion;
    yield [];
  }
  if (count === 0) return;
  const entries = fieldNames(fields).map((name) => {
    const value = getField(fields, name);
    return [name, name === '_id' ? value : product(integer(count), getField(value as Fields, '$sum'))];
  });
  yield [Candidate.of(Object.fromEntries(entries))];
}
