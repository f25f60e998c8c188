import { type Document, Int32 } from 'bson';
import { failedToParse, locationError, typeMismatch } from '../errors.ts';
import { countQuery, mapCandidates, openQuery, type QueryRequest } from '../plan/query.ts';
import { Candidate, type Source } from '../plan/source.ts';
import type { Collection } from '../storage/collection.ts';
import type { Store } from '../store.ts';
import { integer } from '../values/arithmetic.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { Variables } from './expression.ts';
import { expandBucket } from './group.ts';
import type { Scope } from './scope.ts';
import { type CompiledPipeline, type PipelineContext, readStage, type Stage } from './stage.ts';
import { stages as stageCompilers } from './stages.ts';
import { transforms } from './transforms.ts';

export function readPipeline(store: Store, database: string, command: Document): CompiledPipeline {
  const { aggregate: collection, pipeline, let: variables } = command;
  if (typeof collection !== 'string') throw failedToParse('this server aggregates only collections');
  if (variables !== undefined && !isFields(variables)) throw typeMismatch('Expected field let to be of type object');
  return compilePipeline(pipeline, { store, database, collection, scope: Variables.of(variables), depth: 0 });
}

interface ParsedStage {
  name: string;
  argument: unknown;
}

interface CompiledStage extends ParsedStage {
  apply: Stage;
}

const MAX_STAGES = 1000;
const MAX_DEPTH = 20;

function compilePipeline(stages: unknown, context: PipelineContext): CompiledPipeline {
  if (!Array.isArray(stages)) throw failedToParse("'pipeline' option must be specified as an array");
  if (stages.length > MAX_STAGES) throw locationError(7749501, `a pipeline has at most ${MAX_STAGES} stages`);
  if (context.depth > MAX_DEPTH) throw locationError(5, `Pipelines are nested more than ${MAX_DEPTH} deep`);
  const { store, scope } = context;
  const expanded = stages.flatMap((stage) => expandStage(stage, scope));
  const compiled = expanded.map((stage, at) => ({ ...stage, apply: compileStage(stage, expanded[at + 1], context) }));
  const { request, taken } = extractQuery(compiled);
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
      const count = first && !wanted.sort ? readCountGroup(first) : undefined;
      if (count) return runStages(countDocuments(findCollection(), wanted, count), others);
      return runStages(openQuery(findCollection(), wanted).source, rest);
    },
    apply: (source) => runStages(source, compiled),
    explain(hint) {
      const wanted = requestWith(undefined, hint);
      const query = openQuery(findCollection(), wanted);
      return {
        query: { ...query, source: runStages(query.source, rest) },
        request: { ...wanted, filter: request.filter },
        rest: rest.map(({ name, argument }) => ({ [name]: argument })),
      };
    },
  };
}

function runStages(source: Source, stages: readonly CompiledStage[]): Source {
  return stages.reduce((current, { apply }) => apply(current), source);
}

/** Takes the leading stages that `find` can run as one query. */
function extractQuery(stages: readonly CompiledStage[]): { request: QueryRequest; taken: number } {
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

function expandStage(stage: unknown, scope: Scope): ParsedStage[] {
  const { name, argument } = readStage(stage);
  const written = (...documents: Document[]): ParsedStage[] =>
    documents.flatMap((document) => expandStage(document, scope));
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

function compileStage({ name, argument }: ParsedStage, next: ParsedStage | undefined, context: PipelineContext): Stage {
  const shape = transforms.get(name)?.(argument, context.scope, name);
  if (shape) return (source) => mapCandidates(source, ({ document }) => Candidate.of(shape(document)));
  const inner = { ...context, depth: context.depth + 1 };
  const stage = stageCompilers.get(name)?.(argument, inner, compilePipeline, next);
  if (stage) return stage;
  throw locationError(40324, `Unrecognized pipeline stage name: '${name}': this server does not support it`);
}

function readCountGroup({ name, argument }: CompiledStage): { _id: unknown; field: string } | undefined {
  if (name !== '$group' || !isFields(argument)) return undefined;
  const { _id, ...fields } = argument as Document;
  const [field = '', ...others] = fieldNames(fields);
  const isSum = isFields(fields[field]) && fieldNames(fields[field]).join() === '$sum';
  const counts = isSum && others.length === 0 && nearestDouble(fields[field].$sum) === 1;
  return counts && (_id === null || isNumber(_id)) ? { _id, field } : undefined;
}

function* countDocuments(
  collection: Collection | undefined,
  request: QueryRequest,
  { _id, field }: { _id: unknown; field: string },
): Source {
  let count = 0;
  for (const chunk of countQuery(collection, request)) {
    count += chunk;
    yield [];
  }
  if (count > 0) yield [Candidate.of({ _id, [field]: integer(count) })];
}

/**
 * Extracts `{$eq: ['$field', value]}` from a filter's `$expr` as conditions that indexes can serve.
 * They may match more documents than the expression does, never fewer.
 */
function equalitiesOf(filter: Fields, scope: Scope): Document[] {
  return clausesOf(filter, '$expr')
    .flatMap((clause) => conjuncts(clause))
    .flatMap((pair) => {
      const [left, right] = pair;
      const equality = fieldEquality(left, right, scope) ?? fieldEquality(right, left, scope);
      return equality ? [equality] : [];
    });
}

function clausesOf(filter: unknown, name: string): unknown[] {
  if (!isFields(filter)) return [];
  return fieldNames(filter).flatMap((field) => {
    const operand = getField(filter, field);
    if (field === name) return [operand];
    return field === '$and' && Array.isArray(operand) ? operand.flatMap((part) => clausesOf(part, name)) : [];
  });
}

function conjuncts(expression: unknown): unknown[][] {
  return clausesOf(expression, '$eq').filter((pair): pair is unknown[] => Array.isArray(pair) && pair.length === 2);
}

function fieldEquality(field: unknown, operand: unknown, scope: Scope): Document | undefined {
  if (typeof field !== 'string' || !/^\$[^$]/.test(field) || !isConstant(operand)) return undefined;
  const value = scope.compile(operand)(scope.frame);
  // Equality in a query also searches arrays, and null matches missing fields. With these values it could miss
  // matches.
  if (value === undefined || Array.isArray(value)) return undefined;
  return { [field.slice(1)]: { $eq: value } };
}

function isConstant(operand: unknown): boolean {
  if (typeof operand === 'string') return !operand.startsWith('$') || /^\$\$(?!ROOT|CURRENT|REMOVE)/.test(operand);
  if (!isFields(operand)) return !Array.isArray(operand);
  return fieldNames(operand).join() === '$literal';
}
