import type { Document } from 'bson';
import { locationError } from '../errors.ts';
import { reserveMemory } from '../memory.ts';
import { checkStageMemory, inChunks, type Source } from '../plan/source.ts';
import { sliceIsOver } from '../storage/scheduler.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { keyText } from '../values/keys.ts';
import { compareValues } from '../values/order.ts';
import { type Accumulation, type Accumulator, compileAccumulator } from './accumulators.ts';
import { compileReader } from './expression.ts';
import { merge } from './objects.ts';
import { readNamedArguments } from './operator.ts';
import type { Scope } from './scope.ts';
import type { Stage } from './stage.ts';

const DECODED_FACTOR = 2;

type NamedAccumulator = readonly [name: string, accumulator: Accumulator];

interface Group {
  id: unknown;
  accumulations: Accumulation[];
}

function compileFields(specification: Fields, scope: Scope): NamedAccumulator[] {
  return fieldNames(specification)
    .filter((name) => name !== '_id')
    .map((name) => {
      if (name.includes('.')) throw locationError(40235, `The field name '${name}' cannot contain '.'`);
      if (name.startsWith('$')) throw locationError(40236, `The field name '${name}' cannot be an operator name`);
      return [name, compileAccumulator(name, getField(specification, name), scope)] as const;
    });
}

export function compileGroup(argument: unknown, scope: Scope): Stage {
  if (!isFields(argument)) throw locationError(15947, "a group's fields must be specified in an object");
  if (!fieldNames(argument).includes('_id')) throw locationError(15955, 'a group specification must include an _id');
  const fields = compileFields(argument, scope);
  const readId = compileReader(getField(argument, '_id'), scope);
  return (source) => group(source, readId, fields, scope);
}

function* group(
  source: Source,
  readId: (document: unknown) => unknown,
  fields: readonly NamedAccumulator[],
  { frame }: Scope,
): Source {
  const groups = new Map<string, Group>();
  let bytes = 0;
  for (const chunk of source) {
    const before = bytes;
    for (const { document } of chunk) {
      const id = readId(document) ?? null;
      const key = keyText(id);
      let group = groups.get(key);
      if (!group) {
        group = { id, accumulations: fields.map(([, { start }]) => start()) };
        groups.set(key, group);
        bytes += 2 * key.length + 64 * (1 + fields.length);
      }
      for (const [at, [, { read }]] of fields.entries())
        bytes += (group.accumulations[at] as Accumulation).add(read(frame));
      if (sliceIsOver()) yield [];
    }
    checkStageMemory(bytes, '$group');
    reserveMemory(Math.max(0, DECODED_FACTOR * (bytes - before)), '$group');
    yield [];
  }
  yield* inChunks(groupDocuments(groups.values(), fields));
}

function* groupDocuments(groups: Iterable<Group>, fields: readonly NamedAccumulator[]): Generator<Document> {
  for (const { id, accumulations } of groups) {
    let result: Fields = { _id: id };
    for (const [at, [name]] of fields.entries()) result = setField(result, name, accumulations[at]?.result() ?? null);
    yield result as Document;
  }
}

export function expandBucket(argument: unknown, scope: Scope): Document[] {
  const given = readNamedArguments(argument, '$bucket', ['groupBy', 'boundaries', 'default?', 'output?']);
  const listed = given.get('boundaries');
  if (!Array.isArray(listed)) throw locationError(40200, "The $bucket 'boundaries' field must be an array");
  if (listed.length < 2) throw locationError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  const boundaries = listed.map((boundary) => scope.compile(boundary)(scope.frame));
  const groupBy = given.get('groupBy');
  const branches = boundaries.slice(1).map((upper, at) => {
    const lower = { $literal: boundaries[at] };
    if (compareValues(lower.$literal, upper) >= 0)
      throw locationError(40194, "The 'boundaries' option to $bucket must be sorted");
    const isWithin = { $and: [{ $gte: [groupBy, lower] }, { $lt: [groupBy, { $literal: upper }] }] };
    return new Map<string, unknown>([
      ['case', isWithin],
      ['then', lower],
    ]);
  });
  const otherwise = given.has('default') ? { default: given.get('default') } : {};
  const output = (given.get('output') as Fields | undefined) ?? { count: { $sum: 1 } };
  return [{ $group: merge({ _id: { $switch: { branches, ...otherwise } } }, output) }, { $sort: { _id: 1 } }];
}
