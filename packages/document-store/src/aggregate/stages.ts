import type { Document } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { DECODED_FACTOR, reserveMemory } from '../memory.ts';
import { filterCandidates, skipAndLimit } from '../plan/query.ts';
import { sortCandidates } from '../plan/sorting.ts';
import { type Candidate, checkStageMemory, inChunks, type Source } from '../plan/source.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileSort } from '../query/sort.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { nearestDouble } from '../values/numbers.ts';
import { fieldPathParts } from '../values/path.ts';
import { compileGroup } from './group.ts';
import { compileLookup } from './lookup.ts';
import { readNamedArguments } from './operator.ts';
import type { CompiledPipeline, CompileInner, PipelineContext, Stage } from './stage.ts';
import { compileUnwind } from './unwind.ts';

type CompileStage = (
  argument: unknown,
  context: PipelineContext,
  compile: CompileInner,
  next: { name: string; argument: unknown } | undefined,
) => Stage;

export const stages: ReadonlyMap<string, CompileStage> = new Map<string, CompileStage>([
  ['$facet', compileFacet],
  ['$group', (argument, { scope }) => compileGroup(argument, scope)],
  ['$limit', (argument) => compileSkipAndLimit(0, readCount('$limit', argument))],
  ['$lookup', compileLookup],
  ['$match', compileMatch],
  ['$sample', compileSample],
  ['$skip', (argument) => compileSkipAndLimit(readCount('$skip', argument))],
  ['$sort', compileSortStage],
  ['$unionWith', compileUnion],
  ['$unwind', compileUnwind],
]);

function compileMatch(argument: unknown, { scope }: PipelineContext): Stage {
  if (!isFields(argument)) throw locationError(15959, 'the match filter must be an expression in an object');
  const matches = compileFilter(argument, scope);
  return (source) => filterCandidates(source, matches);
}

function compileSortStage(...[argument, , , next]: Parameters<CompileStage>): Stage {
  if (!isFields(argument)) throw locationError(15973, 'the $sort key specification must be an object');
  if (fieldNames(argument).length === 0) throw locationError(15976, '$sort stage must have at least one sort key');
  const limit = next?.name === '$limit' ? readCount('$limit', next.argument) : undefined;
  const comparator = compileSort(argument);
  return (source) => sortCandidates(source, comparator, limit);
}

function compileSkipAndLimit(skip: number, limit?: number): Stage {
  if (limit === 0) throw locationError(15958, 'the limit must be positive');
  return (source) => skipAndLimit(source, skip, limit);
}

function readCount(name: string, argument: unknown): number {
  const number = nearestDouble(argument);
  if (number !== undefined && number >= 0 && Number.isInteger(number)) return number;
  throw locationError(5107200, `invalid argument to ${name} stage: Expected a non-negative number`);
}

function compileUnion(argument: unknown, context: PipelineContext, compile: CompileInner): Stage {
  const operand = typeof argument === 'string' ? { coll: argument } : argument;
  const given = readNamedArguments(operand, '$unionWith', ['coll', 'pipeline?']);
  const collection = given.get('coll');
  if (typeof collection !== 'string') throw failedToParse("'coll' of $unionWith must be the name of a collection");
  const pipeline = compile(given.get('pipeline') ?? [], { ...context, collection });
  return function* (source): Source {
    yield* source;
    yield* pipeline.open();
  };
}

function compileSample(argument: unknown): Stage {
  const size = isFields(argument) ? nearestDouble(getField(argument, 'size')) : undefined;
  if (size === undefined) throw locationError(28745, '$sample must be an object with a numeric size');
  if (!(size >= 1)) throw locationError(28747, 'size argument to $sample must be a positive number');
  return (source) => sample(source, Math.trunc(size));
}

function* sample(source: Source, size: number): Source {
  const kept: Candidate[] = [];
  let seen = 0;
  let accounted = 0;
  let bytes = 0;
  for (const chunk of source) {
    for (const candidate of chunk) {
      seen += 1;
      // Reservoir sampling. The first documents move too, so that the order is random as well.
      const at = Math.floor(Math.random() * seen);
      if (at >= size) continue;
      const held = candidate.withoutDocument();
      bytes += held.bytes.length;
      if (kept.length < size) kept.push(kept[at] ?? held);
      else bytes -= kept[at]?.bytes.length ?? 0;
      kept[at] = held;
    }
    checkStageMemory(bytes, '$sample');
    if (bytes > accounted) reserveMemory(bytes - accounted, '$sample');
    accounted = Math.max(bytes, accounted);
    yield [];
  }
  yield kept;
}

function compileFacet(argument: unknown, context: PipelineContext, compile: CompileInner): Stage {
  if (context.collection === undefined) throw locationError(40600, '$facet is not allowed within a $facet stage');
  if (!isFields(argument) || fieldNames(argument).length === 0) {
    throw locationError(40169, 'the $facet specification must be a non-empty object');
  }
  const facets = fieldNames(argument).map((name) => {
    fieldPathParts(name);
    return [name, compile(getField(argument, name), { ...context, collection: undefined })] as const;
  });
  return (source) => facet(source, facets);
}

const ENTRY_OVERHEAD_BYTES = 300;

function* facet(source: Source, facets: readonly (readonly [string, CompiledPipeline])[]): Source {
  const held: Candidate[][] = [];
  let bytes = 0;
  for (const chunk of source) {
    held.push(chunk.map((candidate) => candidate.withoutDocument()));
    const more = chunk.reduce((sum, candidate) => sum + candidate.bytes.length + ENTRY_OVERHEAD_BYTES, 0);
    bytes += more;
    checkStageMemory(bytes, '$facet');
    reserveMemory(more, '$facet');
    yield [];
  }
  let result: Fields = {};
  for (const [name, pipeline] of facets) {
    const documents: Document[] = [];
    for (const chunk of pipeline.apply(replay(held))) {
      const more = chunk.reduce((sum, candidate) => sum + candidate.bytes.length, 0);
      bytes += more;
      checkStageMemory(bytes, '$facet');
      reserveMemory(DECODED_FACTOR * more, '$facet');
      documents.push(...chunk.map(({ document }) => document));
      yield [];
    }
    result = setField(result, name, documents);
  }
  yield* inChunks([result as Document]);
}

function* replay(held: readonly Candidate[][]): Source {
  for (const chunk of held) yield chunk.map((candidate) => candidate.withoutDocument());
}
