import type { Document } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { holdMemory } from '../memory.ts';
import { filtered, windowed } from '../plan/query.ts';
import { sorted } from '../plan/sorting.ts';
import { type Candidate, checkHeld, portioned, type Source } from '../plan/source.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileSort } from '../query/sort.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { nearestDouble } from '../values/numbers.ts';
import { fieldPathParts } from '../values/path.ts';
import { compileGroup } from './group.ts';
import { compileLookup } from './lookup.ts';
import { namedArguments } from './operator.ts';
import type { CompiledPipeline, CompileInner, PipelineContext, Stage } from './stage.ts';
import { compileUnwind } from './unwind.ts';

type CompileStage = (
  argument: unknown,
  context: PipelineContext,
  compile: CompileInner,
  next: { name: string; argument: unknown } | undefined,
) => Stage;

/** The stages that make other documents than one of each; `context` is that of the pipelines in them. */
export const stages: ReadonlyMap<string, CompileStage> = new Map<string, CompileStage>([
  ['$facet', compileFacet],
  ['$group', (argument, { scope }) => compileGroup(argument, scope)],
  ['$limit', (argument) => compileWindow(0, countOf('$limit', argument))],
  ['$lookup', compileLookup],
  ['$match', compileMatch],
  ['$sample', compileSample],
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

function compileSortStage(...[argument, , , next]: Parameters<CompileStage>): Stage {
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

function countOf(name: string, argument: unknown): number {
  const number = nearestDouble(argument);
  if (number !== undefined && number >= 0 && Number.isInteger(number)) return number;
  throw locationError(5107200, `invalid argument to ${name} stage: Expected a non-negative number`);
}

/** `$unionWith`: what another pipeline gives, after the documents. */
function compileUnion(argument: unknown, context: PipelineContext, compile: CompileInner): Stage {
  const operand = typeof argument === 'string' ? { coll: argument } : argument;
  const given = namedArguments(operand, '$unionWith', ['coll', 'pipeline?']);
  const collection = given.get('coll');
  if (typeof collection !== 'string') throw failedToParse("'coll' of $unionWith must be the name of a collection");
  const pipeline = compile(given.get('pipeline') ?? [], { ...context, collection });
  return function* (source): Source {
    yield* source;
    yield* pipeline.open();
  };
}

/** `$sample`: some documents at random, each as likely as any other. */
function compileSample(argument: unknown): Stage {
  const size = isFields(argument) ? nearestDouble(getField(argument, 'size')) : undefined;
  if (size === undefined) throw locationError(28745, '$sample must be an object with a numeric size');
  if (!(size >= 1)) throw locationError(28747, 'size argument to $sample must be a positive number');
  return (source) => sample(source, Math.trunc(size));
}

function* sample(source: Source, size: number): Source {
  const kept: Candidate[] = [];
  let met = 0;
  let accounted = 0;
  let bytes = 0;
  for (const portion of source) {
    for (const candidate of portion) {
      met += 1;
      // In the end each has the same chance; the first ones are moved too, so that the order is random as well.
      const at = Math.floor(Math.random() * met);
      if (at >= size) continue;
      const held = candidate.undecoded();
      bytes += held.bytes.length;
      if (kept.length < size) kept.push(kept[at] ?? held);
      else bytes -= kept[at]?.bytes.length ?? 0;
      kept[at] = held;
    }
    checkHeld(bytes, '$sample');
    if (bytes > accounted) holdMemory(bytes - accounted, '$sample');
    accounted = Math.max(bytes, accounted);
    yield [];
  }
  yield kept;
}

/** `$facet`: the same documents through several pipelines. */
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

/** What a document takes besides its bytes, and what a decoded one takes, compared with them. */
const HELD_BYTES = 300;
const DECODED = 4;

function* facet(source: Source, facets: readonly (readonly [string, CompiledPipeline])[]): Source {
  const held: Candidate[][] = [];
  let bytes = 0;
  for (const portion of source) {
    held.push(portion.map((candidate) => candidate.undecoded()));
    const more = portion.reduce((sum, candidate) => sum + candidate.bytes.length + HELD_BYTES, 0);
    bytes += more;
    checkHeld(bytes, '$facet');
    holdMemory(more, '$facet');
    yield [];
  }
  let result: Fields = {};
  for (const [name, pipeline] of facets) {
    const documents: Document[] = [];
    for (const portion of pipeline.apply(again(held))) {
      const more = portion.reduce((sum, candidate) => sum + candidate.bytes.length, 0);
      bytes += more;
      checkHeld(bytes, '$facet');
      holdMemory(DECODED * more, '$facet');
      documents.push(...portion.map(({ document }) => document));
      yield [];
    }
    result = setField(result, name, documents);
  }
  yield* portioned([result as Document]);
}

function* again(held: readonly Candidate[][]): Source {
  for (const portion of held) yield portion.map((candidate) => candidate.undecoded());
}
