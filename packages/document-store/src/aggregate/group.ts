import type { Document } from 'bson';
import { locationError } from '../errors.ts';
import { Candidate, type Portions, portionsOf, type Source, sourceOf } from '../plan/scan.ts';
import { sliceIsOver } from '../storage/turns.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';
import { compareValues } from '../values/order.ts';
import { type Accumulation, type Accumulator, compileAccumulator } from './accumulators.ts';
import { compileReader } from './expression.ts';
import { merge } from './objects.ts';
import { int32Of, namedArguments, type Scope } from './operator.ts';
import { checkHeld, PORTION, portioned } from './stage.ts';

type NamedAccumulator = readonly [name: string, accumulator: Accumulator];

/** A group of documents: its `_id` and what its accumulators hold. */
class Group {
  readonly #id: unknown;
  readonly #fields: readonly NamedAccumulator[];
  readonly #held: Accumulation[];

  constructor(id: unknown, fields: readonly NamedAccumulator[]) {
    this.#id = id;
    this.#fields = fields;
    this.#held = fields.map(([, accumulator]) => accumulator.start());
  }

  /** Adds a document, which the scope's frame has; returns how many bytes more it holds. */
  add(scope: Scope): number {
    let bytes = 0;
    for (let at = 0; at < this.#held.length; at += 1) {
      const value = this.#fields[at]?.[1].read(scope.frame);
      bytes += (this.#held[at] as Accumulation).add(value);
    }
    return bytes;
  }

  get document(): Document {
    let result: Fields = { _id: this.#id };
    for (const [at, [name]] of this.#fields.entries()) {
      result = setField(result, name, this.#held[at]?.result() ?? null);
    }
    return result as Document;
  }
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

/** `$group`. */
export function compileGroup(argument: unknown, scope: Scope): (source: Source) => Source {
  if (!isFields(argument)) throw locationError(15947, "a group's fields must be specified in an object");
  if (!fieldNames(argument).includes('_id')) throw locationError(15955, 'a group specification must include an _id');
  const fields = compileFields(argument, scope);
  const readId = compileReader(getField(argument, '_id'), scope);
  return (source) => sourceOf(group(source, readId, fields, scope));
}

function* group(
  source: Source,
  readId: (document: unknown) => unknown,
  fields: readonly NamedAccumulator[],
  scope: Scope,
): Portions {
  const groups = new Map<string, Group>();
  let bytes = 0;
  for (const portion of portionsOf(source)) {
    for (const { document } of portion) {
      const id = readId(document) ?? null;
      const key = encodeKey(id).toString('latin1');
      let group = groups.get(key);
      if (!group) {
        group = new Group(id, fields);
        groups.set(key, group);
        bytes += 2 * key.length + 64 * (1 + fields.length);
      }
      bytes += group.add(scope);
      if (sliceIsOver()) yield [];
    }
    checkHeld(bytes, '$group');
    yield [];
  }
  yield* portioned(documentsOf(groups.values()));
}

function* documentsOf(groups: Iterable<Group>): Generator<Document> {
  for (const group of groups) yield group.document;
}

/** `$bucket` in terms of `$group` and `$sort`. */
export function expandBucket(argument: unknown, scope: Scope): Document[] {
  const given = namedArguments(
    argument,
    '$bucket',
    ['groupBy', 'boundaries', 'default?', 'output?'],
    [40201, 40197, 40198],
  );
  const listed = given.get('boundaries');
  if (!Array.isArray(listed)) throw locationError(40200, "The $bucket 'boundaries' field must be an array");
  if (listed.length < 2) throw locationError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  const boundaries = listed.map((boundary) => scope.compile(boundary)(scope.frame));
  const branches = boundaries.slice(1).map((upper, at) => {
    const lower = boundaries[at];
    if (compareValues(lower, upper) >= 0)
      throw locationError(40194, "The 'boundaries' option to $bucket must be sorted");
    const [from, to] = [
      { $gte: [given.get('groupBy'), { $literal: lower }] },
      { $lt: [given.get('groupBy'), { $literal: upper }] },
    ];
    return Object.fromEntries([
      ['case', { $and: [from, to] }],
      ['then', { $literal: lower }],
    ]);
  });
  const otherwise = given.has('default') ? { default: given.get('default') } : {};
  const output = (given.get('output') as Fields | undefined) ?? { count: { $sum: 1 } };
  return [{ $group: merge({ _id: { $switch: { branches, ...otherwise } } }, output) }, { $sort: { _id: 1 } }];
}

/** `$bucketAuto`: as many groups of about the same size, by the order of a value. */
export function compileBucketAuto(argument: unknown, scope: Scope, name: string): (source: Source) => Source {
  const given = namedArguments(argument, name, ['groupBy', 'buckets', 'output?'], [40240, 40245, 40246]);
  const count = int32Of(given.get('buckets'), 40241, "The $bucketAuto 'buckets' field");
  if (count < 1) throw locationError(40243, "The $bucketAuto 'buckets' field must be greater than 0");
  const output = given.get('output') ?? { count: { $sum: 1 } };
  if (!isFields(output)) throw locationError(40244, "The $bucketAuto 'output' field must be an object");
  const fields = compileFields(output, scope);
  const readValue = compileReader(given.get('groupBy'), scope);
  return (source) => sourceOf(bucketAuto(source, count, readValue, fields, scope));
}

interface Placed {
  value: unknown;
  candidate: Candidate;
}

function* bucketAuto(
  source: Source,
  count: number,
  readValue: (document: unknown) => unknown,
  fields: readonly NamedAccumulator[],
  scope: Scope,
): Portions {
  const placed: Placed[] = [];
  let bytes = 0;
  for (const portion of portionsOf(source)) {
    for (const candidate of portion) {
      placed.push({ value: readValue(candidate.document) ?? null, candidate: candidate.undecoded() });
      bytes += candidate.bytes.length + 64;
      if (sliceIsOver()) yield [];
    }
    checkHeld(bytes, '$bucketAuto');
    yield [];
  }
  placed.sort((left, right) => compareValues(left.value, right.value));
  const size = Math.max(1, Math.round(placed.length / count));
  for (let start = 0, left = count; start < placed.length; left -= 1) {
    let end = left === 1 ? placed.length : Math.min(placed.length, start + size);
    // Equal values stay together.
    while (end < placed.length && compareValues(placed[end]?.value, placed[end - 1]?.value) === 0) end += 1;
    const next = placed[end] ?? placed[placed.length - 1];
    const bucket = new Group({ min: placed[start]?.value, max: next?.value }, fields);
    for (; start < end; start += 1) {
      scope.frame.begin((placed[start] as Placed).candidate.document);
      bucket.add(scope);
      if (start % PORTION === 0) yield [];
    }
    yield [Candidate.of(bucket.document)];
  }
}
