import { type Document, Double, Int32, Long } from 'bson';
import { locationError } from '../errors.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileProjection } from '../query/project.ts';
import { compileSort } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import { numberOf } from '../storage/index-definition.ts';
import type { Store } from '../store.ts';
import { encode } from '../values/codec.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';
import { compilePath, readPath } from '../values/path.ts';
import { type CountSource, openCount } from './counting.ts';
import { filtered, windowed } from './query.ts';
import { Candidate, type Source } from './scan.ts';
import { sorted } from './sorting.ts';

/**
 * Opens an aggregation pipeline: `$match $sort $skip $limit $project $count`, and `$group` with sums. Its first match, sort, skip and
 * limit go to the planner as one query. Throws for every other stage.
 */
export function openPipeline(
  store: Store,
  collection: Collection | undefined,
  stages: Document[],
  hint?: unknown,
): Source {
  const rest = stages.map((stage): [string, unknown] => Object.entries(stage)[0] as [string, unknown]);
  const first = takeQuery(rest);
  if (!first.sort && isCount(rest[0])) {
    const [name, specification] = rest.shift() as [string, unknown];
    return applyStages(new CountedSource(openCount(store, collection, { ...first, hint }), name, specification), rest);
  }
  return applyStages(store.openQuery(collection, { ...first, hint }).source, rest);
}

/** Takes the stages off the front that together are what `find` does. */
function takeQuery(stages: [string, unknown][]): { filter: Document; sort?: Document; skip?: number; limit?: number } {
  const filters: Document[] = [];
  while (stages[0]?.[0] === '$match') filters.push(documentOf(stages.shift()));
  const query: { filter: Document; sort?: Document; skip?: number; limit?: number } = {
    filter: filters.length > 1 ? { $and: filters } : (filters[0] ?? {}),
  };
  if (stages[0]?.[0] === '$sort') query.sort = documentOf(stages.shift());
  if (stages[0]?.[0] === '$skip') query.skip = countOf(stages.shift());
  if (stages[0]?.[0] === '$limit') query.limit = limitOf(stages.shift());
  return query;
}

function applyStages(source: Source, stages: [string, unknown][]): Source {
  return stages.reduce((current, stage) => applyStage(current, stage), source);
}

function applyStage(source: Source, stage: [string, unknown]): Source {
  switch (stage[0]) {
    case '$match':
      return filtered(source, compileFilter(documentOf(stage)));
    case '$sort':
      return sorted(source, compileSort(documentOf(stage)));
    case '$skip':
      return windowed(source, countOf(stage));
    case '$limit':
      return windowed(source, 0, limitOf(stage));
    case '$project':
      return mapped(source, compileProjection(documentOf(stage)));
    case '$count':
      return new GroupSource(source, { _id: null, [String(stage[1])]: { $sum: 1 } }, false);
    case '$group':
      return new GroupSource(source, documentOf(stage), true);
    default:
      throw locationError(40324, `Unrecognized pipeline stage name: '${stage[0]}' (this server has none of that name)`);
  }
}

function documentOf(stage: [string, unknown] | undefined): Document {
  if (!isFields(stage?.[1])) throw locationError(15959, `the ${stage?.[0]} stage must be given an object`);
  return stage[1];
}

function countOf(stage: [string, unknown] | undefined): number {
  const number = numberOf(stage?.[1]);
  if (number === undefined || number < 0) {
    throw locationError(5107200, `invalid argument to ${stage?.[0]} stage: Expected a non-negative number`);
  }
  return Math.trunc(number);
}

function limitOf(stage: [string, unknown] | undefined): number {
  const limit = countOf(stage);
  if (limit === 0) throw locationError(15958, 'the limit must be positive');
  return limit;
}

/** True for a group over everything whose sums don't look into the documents, as countDocuments sends it. */
function isCount(stage: [string, unknown] | undefined): boolean {
  if (stage?.[0] === '$count') return true;
  if (stage?.[0] !== '$group' || !isFields(stage[1])) return false;
  const specification = stage[1];
  return fieldNames(specification).every((name) => {
    const value = getField(specification, name);
    if (name === '_id') return value === null || numberOf(value) !== undefined;
    return isFields(value) && fieldNames(value).join() === '$sum' && numberOf(getField(value, '$sum')) !== undefined;
  });
}

/** One document with the count of everything, or none when there is nothing to count. */
class CountedSource implements Source {
  readonly #counted: CountSource;
  readonly #documentOf: (count: number) => Document;
  #count = 0;
  #done = false;

  constructor(counted: CountSource, stage: string, specification: unknown) {
    this.#counted = counted;
    this.#documentOf =
      stage === '$count'
        ? (count) => ({ [String(specification)]: integer(count) })
        : (count) => countedGroup(specification as Document, count);
  }

  pull(): Candidate[] | undefined {
    if (this.#done) return undefined;
    const portion = this.#counted.pull();
    if (portion !== undefined) {
      this.#count += portion;
      return [];
    }
    this.#done = true;
    return this.#count === 0 ? undefined : [new Candidate(0, encode(this.#documentOf(this.#count)))];
  }
}

function countedGroup(specification: Document, count: number): Document {
  const fields = fieldNames(specification).map((name) => {
    const value = getField(specification, name);
    return [name, name === '_id' ? value : integer(count * (numberOf(getField(value as Document, '$sum')) ?? 0))];
  });
  return Object.fromEntries(fields);
}

function integer(value: number): Int32 | Long | Double {
  if (!Number.isSafeInteger(value)) return new Double(value);
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}

function mapped(source: Source, map: (document: Document) => Document): Source {
  return {
    pull: () => source.pull()?.map(({ record, document }) => new Candidate(record, encode(map(document)))),
  };
}

type Read = (candidate: Candidate) => unknown;

interface Group {
  id: unknown;
  sums: Sum[];
}

/** `$group` with `$sum` and `$count`. */
class GroupSource implements Source {
  readonly #source: Source;
  readonly #id: Read;
  readonly #sums: { name: string; read: Read }[];
  readonly #withId: boolean;
  readonly #groups = new Map<string, Group>();
  #done = false;

  constructor(source: Source, specification: Document, withId: boolean) {
    if (!('_id' in specification)) throw locationError(15955, 'a group specification must include an _id');
    this.#source = source;
    this.#withId = withId;
    this.#id = compileOperand(specification._id);
    this.#sums = fieldNames(specification)
      .filter((name) => name !== '_id')
      .map((name) => ({ name, read: compileSum(name, specification[name]) }));
  }

  pull(): Candidate[] | undefined {
    if (this.#done) return undefined;
    const portion = this.#source.pull();
    if (portion) {
      for (const candidate of portion) this.#add(candidate);
      return [];
    }
    this.#done = true;
    return [...this.#groups.values()].map((group) => new Candidate(0, encode(this.#documentOf(group))));
  }

  #add(candidate: Candidate): void {
    const id = this.#id(candidate) ?? null;
    const key = id === null ? '' : encodeKey(id).toString('latin1');
    let group = this.#groups.get(key);
    if (!group) {
      group = { id, sums: this.#sums.map(() => new Sum()) };
      this.#groups.set(key, group);
    }
    for (let at = 0; at < this.#sums.length; at++) group.sums[at]?.add(this.#sums[at]?.read(candidate));
  }

  #documentOf(group: Group): Document {
    const sums = this.#sums.map(({ name }, at) => [name, group.sums[at]?.value]);
    return { ...(this.#withId ? { _id: group.id } : {}), ...Object.fromEntries(sums) };
  }
}

function compileSum(name: string, accumulator: unknown): Read {
  if (isFields(accumulator)) {
    const [operator, ...others] = fieldNames(accumulator);
    if (others.length === 0 && operator === '$count') return () => 1;
    if (others.length === 0 && operator === '$sum') return compileOperand(getField(accumulator, '$sum'));
  }
  throw locationError(15952, `this server has no such accumulator: field '${name}' of $group`);
}

/** A constant or the value of a field; expressions are refused. */
function compileOperand(operand: unknown): Read {
  if (typeof operand === 'string' && operand.startsWith('$') && !operand.startsWith('$$')) {
    const path = compilePath(operand.slice(1));
    return ({ document }) => readPath(document, path);
  }
  if (isFields(operand) || (typeof operand === 'string' && operand.startsWith('$'))) {
    throw locationError(168, 'this server has no expressions in $group but constants and fields');
  }
  return () => operand;
}

/** A sum that stays an int or a long while it can, and becomes a double with the first double. */
class Sum {
  #total = 0;
  #double = false;

  add(value: unknown): void {
    const number = numberOf(value);
    if (number === undefined) return;
    if (value instanceof Double || !Number.isSafeInteger(number)) this.#double = true;
    this.#total += number;
  }

  get value(): Int32 | Long | Double {
    return this.#double ? new Double(this.#total) : integer(this.#total);
  }
}
