import type { Document } from 'bson';
import { queryPlanKilled } from '../errors.ts';
import type { Collection, RecordNumber } from '../storage/collection.ts';
import type { Engine } from '../storage/engine.ts';
import { unseal } from '../storage/sealed-body.ts';
import { encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { checkBytes } from '../values/sizes.ts';
import type { IndexPlan, Plan } from './planner.ts';

/** A document on its way through a query: stored, and decoded only if something looks into it, or made on the way. */
export class Candidate {
  readonly record: RecordNumber;
  /** The key of the index by which it was found. */
  readonly key: Uint8Array | undefined;
  #bytes: Uint8Array | undefined;
  #document?: Document;

  constructor(record: RecordNumber, bytes: Uint8Array | undefined, key?: Uint8Array) {
    this.record = record;
    this.#bytes = bytes;
    this.key = key;
  }

  /** A document that a stage of a pipeline made. */
  static of(document: Document): Candidate {
    const candidate = new Candidate(0, undefined);
    candidate.#document = document;
    return candidate;
  }

  get document(): Document {
    this.#document ??= decode(this.#bytes as Uint8Array);
    return this.#document;
  }

  /** Throws BSONObjectTooLarge for a made document that is larger than a document may be. */
  get bytes(): Uint8Array {
    if (!this.#bytes) {
      checkBytes(this.document);
      this.#bytes = encode(this.document);
    }
    return this.#bytes;
  }

  /** The same without the decoded document, to be held for long. */
  undecoded(): Candidate {
    return new Candidate(this.record, this.bytes, this.key);
  }
}

/** Something that gives candidates in portions, each a short piece of work; between two, others may write. */
export interface Source {
  /** The next portion, which may be empty; undefined at the end. */
  pull(): Candidate[] | undefined;
}

/** A source written as a generator of its portions. */
export type Portions = Generator<Candidate[], undefined>;

/** The source of what a generator yields. */
export function sourceOf(portions: Portions): Source {
  return { pull: () => portions.next().value };
}

/** The portions of a source. */
export function* portionsOf(source: Source): Portions {
  for (let portion = source.pull(); portion; portion = source.pull()) yield portion;
}

/** What a query looked at, for explain. */
export interface ScanCounts {
  keysExamined: number;
  documentsExamined: number;
}

const FIRST_PORTION = 16;
const LARGEST_PORTION = 256;
const PORTION_BYTES = 1024 * 1024;

/** Walks the candidates of a plan. `wanted`: how many will be taken, where that is known; no more are read at first. */
export function openScan(
  engine: Engine,
  collection: Collection | undefined,
  plan: Plan,
  counts: ScanCounts,
  wanted = FIRST_PORTION,
): Source {
  return sourceOf(scan(engine, collection, plan, counts, Math.min(Math.max(1, wanted), LARGEST_PORTION)));
}

function* scan(
  engine: Engine,
  collection: Collection | undefined,
  plan: Plan,
  counts: ScanCounts,
  first: number,
): Portions {
  if (!collection || plan.kind === 'nothing') return;
  if (plan.kind === 'id') yield scanId(collection, plan.key, counts);
  else if (plan.kind === 'index') yield* scanIndex(engine, collection, plan, counts, first);
  else if (plan.kind === 'collection') yield* scanCollection(engine, collection, plan.backwards, counts, first);
  else {
    const given = new Set<RecordNumber>();
    for (const branch of plan.branches) {
      for (const portion of scan(engine, collection, branch, counts, first)) {
        yield portion.filter(({ record }) => isNew(given, record));
      }
    }
  }
}

function scanId(collection: Collection, key: Buffer, counts: ScanCounts): Candidate[] {
  checkPresent(collection);
  const row = collection.readById(key);
  if (!row) return [];
  counts.keysExamined += 1;
  counts.documentsExamined += 1;
  return [new Candidate(row[0], row[1])];
}

function* scanCollection(
  engine: Engine,
  collection: Collection,
  backwards: boolean,
  counts: ScanCounts,
  first: number,
): Portions {
  const [compare, order] = backwards ? ['<', 'DESC'] : ['>', 'ASC'];
  const statement = collection.statement(
    engine,
    `SELECT record, body FROM ${collection.table} WHERE record ${compare} ? ORDER BY record ${order} LIMIT ?`,
  );
  let position = backwards ? Number.MAX_SAFE_INTEGER : -1;
  for (let rows = first; ; rows = Math.min(rows * 2, LARGEST_PORTION)) {
    checkPresent(collection);
    const candidates: Candidate[] = [];
    let bytes = 0;
    for (const row of statement.iterate(position, rows)) {
      const [record, body] = row as unknown as [RecordNumber, Uint8Array];
      candidates.push(new Candidate(record, unseal(body)));
      position = record;
      bytes += body.length;
      if (bytes > PORTION_BYTES) break;
    }
    counts.documentsExamined += candidates.length;
    yield candidates;
    if (candidates.length < rows && bytes <= PORTION_BYTES) return;
  }
}

function* scanIndex(
  engine: Engine,
  collection: Collection,
  plan: IndexPlan,
  counts: ScanCounts,
  first: number,
): Portions {
  const { index, backwards } = plan;
  const [start, end, order] = backwards ? ['<', '>=', 'DESC'] : ['>', '<', 'ASC'];
  const statement = collection.statement(
    engine,
    `SELECT e.key, e.record, d.body FROM ${index.table} e CROSS JOIN ${collection.table} d ON d.record = e.record
     WHERE (e.key, e.record) ${start} (?, ?) AND e.key ${end} ? ORDER BY e.key ${order}, e.record ${order} LIMIT ?`,
  );
  // One document may come by several keys of a multikey index.
  const given = index.multikey ? new Set<RecordNumber>() : undefined;
  let portion = first;
  let rows = portion;
  let bytes = PORTION_BYTES;
  let candidates: Candidate[] = [];
  const endPortion = (): Candidate[] => {
    counts.keysExamined += portion - rows;
    counts.documentsExamined += candidates.length;
    const ended = candidates;
    portion = Math.min(portion * 2, LARGEST_PORTION);
    rows = portion;
    bytes = PORTION_BYTES;
    candidates = [];
    return ended;
  };
  for (const { lower, upper } of backwards ? plan.intervals.toReversed() : plan.intervals) {
    let position: [Uint8Array, RecordNumber] = [backwards ? upper : lower, -1];
    for (;;) {
      checkPresent(collection);
      if (!collection.indexes.includes(index)) throw queryPlanKilled('the index was dropped');
      for (const row of statement.iterate(...position, backwards ? lower : upper, rows)) {
        const [key, record, body] = row as unknown as [Uint8Array, RecordNumber, Uint8Array];
        position = [key, record];
        rows -= 1;
        bytes -= body.length;
        if (!given || isNew(given, record)) candidates.push(new Candidate(record, unseal(body), key));
        if (bytes <= 0) break;
      }
      if (rows > 0 && bytes > 0) break;
      yield endPortion();
    }
  }
  yield endPortion();
}

function isNew(given: Set<RecordNumber>, record: RecordNumber): boolean {
  return given.size < given.add(record).size;
}

function checkPresent(collection: Collection): void {
  if (!collection.dropped) return;
  throw queryPlanKilled(`collection dropped. UUID ${Buffer.from(collection.uuid).toString('hex')}`);
}
