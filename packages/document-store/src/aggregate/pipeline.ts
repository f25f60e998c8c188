import { type Document, Int32 } from 'bson';
import { failedToParse, locationError, typeMismatch } from '../errors.ts';
import { openCount } from '../plan/counting.ts';
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
import { compileBucketAuto, compileGroup, expandBucket } from './group.ts';
import { compileFacet, compileLookup } from './lookup.ts';
import { equalitiesOf } from './narrowing.ts';
import { integer, type Scope } from './operator.ts';
import { compileRedact } from './redact.ts';
import { shapes } from './shape.ts';
import type { CompiledPipeline, PipelineContext } from './stage.ts';
import { checkHeld } from './stage.ts';
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

interface Stage extends NamedStage {
  apply: (source: Source) => Source;
}

const MAX_STAGES = 1000;
const MAX_DEPTH = 20;

/** MongoDB's, which this server does not have. */
const refused = new Set(
  `$changeStream $changeStreamSplitLargeEvent $collStats $currentOp $densify $documents $fill $geoNear $graphLookup $indexStats
   $listLocalSessions $listSampledQueries $listSearchIndexes $listSessions $merge $out $planCacheStats $search $searchMeta
   $setWindowFields $shardedDataDistribution $vectorSearch`.split(/\s+/),
);

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
  const collection = (): Collection | undefined => store.catalog.find(context.database, context.collection ?? '');
  const requestWith = (filter: Document | undefined, hint: unknown): QueryRequest => {
    const conditions = [request.filter, ...(filter ? [filter] : []), ...equalitiesOf(request.filter, scope)];
    return { ...request, filter: conditions.length > 1 ? { $and: conditions } : request.filter, hint, scope };
  };
  return {
    open(filter, hint) {
      const wanted = requestWith(filter, hint);
      const [first, ...others] = rest;
      if (!wanted.sort && first && isCount(first)) {
        return through(counted(store, collection(), wanted, first.argument as Fields), others);
      }
      return through(store.openQuery(collection(), wanted).source, rest);
    },
    apply: (source) => through(source, compiled),
    explain(hint) {
      const wanted = requestWith(undefined, hint);
      const query = store.openQuery(collection(), wanted);
      return {
        query: { ...query, source: through(query.source, rest) },
        request: { ...wanted, filter: request.filter },
        rest: rest.map(({ name, argument }) => ({ [name]: argument })),
      };
    },
  };
}

function through(source: Source, stages: readonly Stage[]): Source {
  return stages.reduce((current, { apply }) => apply(current), source);
}

/** Takes the stages off the front that together are what `find` does. */
function takeQuery(stages: readonly Stage[]): { request: QueryRequest; taken: number } {
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
function compileStage([first, ...following]: NamedStage[], context: PipelineContext): (source: Source) => Source {
  const { name, argument } = first as NamedStage;
  const { scope } = context;
  const inner = { ...context, depth: context.depth + 1 };
  const shape = shapes.get(name)?.(argument, scope, name);
  if (shape) return (source) => changed(source, ({ document }) => Candidate.of(shape(document)));
  switch (name) {
    case '$match': {
      if (!isFields(argument)) throw locationError(15959, 'the match filter must be an expression in an object');
      const matches = compileFilter(argument, scope);
      return (source) => filtered(source, matches);
    }
    case '$sort': {
      const limit = following[0]?.name === '$limit' ? countOf('$limit', following[0].argument) : undefined;
      if (!isFields(argument)) throw locationError(15973, 'the $sort key specification must be an object');
      if (fieldNames(argument).length === 0) throw locationError(15976, '$sort stage must have at least one sort key');
      const comparator = compileSort(argument);
      return (source) => sorted(source, comparator, limit);
    }
    case '$skip': {
      const count = countOf(name, argument);
      return (source) => windowed(source, count);
    }
    case '$limit': {
      const count = countOf(name, argument);
      if (count === 0) throw locationError(15958, 'the limit must be positive');
      return (source) => windowed(source, 0, count);
    }
    case '$group':
      return compileGroup(argument, scope);
    case '$bucketAuto':
      return compileBucketAuto(argument, scope, name);
    case '$unwind':
      return compileUnwind(argument);
    case '$redact':
      return compileRedact(argument, scope);
    case '$sample':
      return compileSample(argument);
    case '$lookup':
      return compileLookup(argument, inner, compilePipeline);
    case '$unionWith':
      return compileUnion(argument, inner);
    case '$facet':
      if (context.collection === undefined)
        throw locationError(40600, '$facet is not allowed to be used within a $facet stage');
      return compileFacet(argument, (stages) => compilePipeline(stages, { ...inner, collection: undefined }));
    default:
      if (refused.has(name)) throw locationError(40324, `The pipeline stage '${name}' is not supported by this server`);
      throw locationError(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
}

function countOf(name: string, argument: unknown): number {
  const number = nearestDouble(argument);
  if (number === undefined || !(number >= 0) || !Number.isInteger(number)) {
    throw locationError(5107200, `invalid argument to ${name} stage: Expected a non-negative number`);
  }
  return number;
}

/** Some documents at random, each as likely as any other. */
function compileSample(argument: unknown): (source: Source) => Source {
  const size = isFields(argument) ? nearestDouble(getField(argument, 'size')) : undefined;
  if (size === undefined)
    throw locationError(28745, 'the $sample stage specification must be an object with a numeric size');
  if (!(size >= 1)) throw locationError(28747, 'size argument to $sample must be a positive number');
  return (source) => sourceOf(sample(source, Math.trunc(size)));
}

function* sample(source: Source, size: number): Portions {
  const kept: Candidate[] = [];
  let met = 0;
  let bytes = 0;
  for (const portion of portionsOf(source)) {
    for (const candidate of portion) {
      met += 1;
      // In the end each has the same chance; the first ones are moved too, so that the order is random as well.
      const at = Math.floor(Math.random() * met);
      const held = candidate.undecoded();
      if (kept.length < size) {
        kept.push(kept[at] ?? held);
        kept[at] = held;
      } else if (at < size) {
        bytes -= kept[at]?.bytes.length ?? 0;
        kept[at] = held;
      } else continue;
      bytes += held.bytes.length;
    }
    checkHeld(bytes, '$sample');
    yield [];
  }
  yield kept;
}

/** `$unionWith`: what another pipeline gives, after the documents. */
function compileUnion(argument: unknown, context: PipelineContext): (source: Source) => Source {
  const specification = typeof argument === 'string' ? { coll: argument } : argument;
  const collection = isFields(specification) ? getField(specification, 'coll') : undefined;
  if (typeof collection !== 'string')
    throw failedToParse("the $unionWith stage needs 'coll', the name of a collection");
  const pipeline = compilePipeline(getField(specification as Fields, 'pipeline') ?? [], { ...context, collection });
  return (source) =>
    sourceOf(
      (function* union(): Portions {
        yield* portionsOf(source);
        yield* portionsOf(pipeline.open());
      })(),
    );
}

/** True for a group over everything whose sums don't look into the documents, as countDocuments sends it. */
function isCount({ name, argument }: Stage): boolean {
  if (name !== '$group' || !isFields(argument)) return false;
  return fieldNames(argument).every((field) => {
    const value = getField(argument, field);
    if (field === '_id') return value === null || isNumber(value);
    return isFields(value) && fieldNames(value).join() === '$sum' && isNumber(getField(value, '$sum'));
  });
}

/** One document with the count of everything, or none when there is nothing to count. */
function counted(store: Store, collection: Collection | undefined, request: QueryRequest, fields: Fields): Source {
  return sourceOf(
    (function* count(): Portions {
      const counts = openCount(store, collection, request);
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
    })(),
  );
}
