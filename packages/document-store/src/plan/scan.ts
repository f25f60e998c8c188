import type { StatementSync } from 'node:sqlite';
import type { Document } from 'bson';
import { queryPlanKilled } from '../errors.ts';
import type { Collection, RecordNumber } from '../storage/collection.ts';
import type { CollectionIndex } from '../storage/collection-index.ts';
import type { Engine } from '../storage/engine.ts';
import { unseal } from '../storage/sealed-body.ts';
import { decode } from '../values/codec.ts';
import type { Interval } from './bounds.ts';
import type { IndexPlan, Plan } from './planner.ts';

/** A stored document on its way through a query; decoded only if something looks into it. */
export class Candidate {
  readonly record: RecordNumber;
  readonly bytes: Uint8Array;
  #document?: Document;

  constructor(record: RecordNumber, bytes: Uint8Array) {
    this.record = record;
    this.bytes = bytes;
  }

  get document(): Document {
    this.#document ??= decode(this.bytes);
    return this.#document;
  }
}

/** Something that gives candidates in portions, each a short piece of work; between two, others may write. */
export interface Source {
  /** The next portion, which may be empty; undefined at the end. */
  pull(): Candidate[] | undefined;
}

/** What a query looked at, for explain. */
export interface ScanCounts {
  keysExamined: number;
  documentsExamined: number;
}

const FIRST_PORTION = 16;
const LARGEST_PORTION = 256;
const PORTION_BYTES = 1024 * 1024;

/** Walks the candidates of a plan. */
export function openScan(engine: Engine, collection: Collection | undefined, plan: Plan, counts: ScanCounts): Source {
  if (!collection || plan.kind === 'nothing') return { pull: () => undefined };
  switch (plan.kind) {
    case 'id':
      return new IdScan(collection, plan.key, counts);
    case 'index':
      return new IndexScan(engine, collection, plan, counts);
    case 'union':
      return new UnionScan(plan.branches.map((branch) => openScan(engine, collection, branch, counts)));
    case 'collection':
      return new CollectionScan(engine, collection, plan.backwards, counts);
  }
}

class IdScan implements Source {
  readonly #collection: Collection;
  readonly #counts: ScanCounts;
  #key: Buffer | undefined;

  constructor(collection: Collection, key: Buffer, counts: ScanCounts) {
    this.#collection = collection;
    this.#key = key;
    this.#counts = counts;
  }

  pull(): Candidate[] | undefined {
    if (!this.#key) return undefined;
    checkPresent(this.#collection);
    const row = this.#collection.readById(this.#key);
    this.#key = undefined;
    if (!row) return undefined;
    this.#counts.keysExamined += 1;
    this.#counts.documentsExamined += 1;
    return [new Candidate(row[0], row[1])];
  }
}

class CollectionScan implements Source {
  readonly #collection: Collection;
  readonly #counts: ScanCounts;
  readonly #statement: StatementSync;
  #position: number;
  #portion = FIRST_PORTION;
  #ended = false;

  constructor(engine: Engine, collection: Collection, backwards: boolean, counts: ScanCounts) {
    this.#collection = collection;
    this.#counts = counts;
    const [compare, order] = backwards ? ['<', 'DESC'] : ['>', 'ASC'];
    this.#position = backwards ? Number.MAX_SAFE_INTEGER : -1;
    this.#statement = collection.statement(
      engine,
      `SELECT record, body FROM ${collection.table} WHERE record ${compare} ? ORDER BY record ${order} LIMIT ?`,
    );
  }

  pull(): Candidate[] | undefined {
    if (this.#ended) return undefined;
    checkPresent(this.#collection);
    const candidates: Candidate[] = [];
    let bytes = 0;
    for (const row of this.#statement.iterate(this.#position, this.#portion)) {
      const [record, body] = row as unknown as [number, Uint8Array];
      candidates.push(new Candidate(record, unseal(body)));
      bytes += body.length;
      if (bytes > PORTION_BYTES) break;
    }
    this.#ended = candidates.length < this.#portion && bytes <= PORTION_BYTES;
    this.#position = candidates.at(-1)?.record ?? this.#position;
    this.#portion = Math.min(this.#portion * 2, LARGEST_PORTION);
    this.#counts.documentsExamined += candidates.length;
    return candidates;
  }
}

class IndexScan implements Source {
  readonly #collection: Collection;
  readonly #counts: ScanCounts;
  readonly #statement: StatementSync;
  readonly #index: CollectionIndex;
  readonly #backwards: boolean;
  readonly #intervals: Interval[];
  /** The records already given, where one may come by several keys. */
  readonly #given: Set<RecordNumber> | undefined;
  #at = 0;
  #position: [Uint8Array, RecordNumber] | undefined;
  #portion = FIRST_PORTION;

  constructor(engine: Engine, collection: Collection, plan: IndexPlan, counts: ScanCounts) {
    this.#collection = collection;
    this.#counts = counts;
    this.#index = plan.index;
    this.#backwards = plan.backwards;
    this.#intervals = plan.backwards ? [...plan.intervals].reverse() : plan.intervals;
    this.#given = plan.index.multikey ? new Set() : undefined;
    const [start, end, order] = plan.backwards ? ['<', '>=', 'DESC'] : ['>', '<', 'ASC'];
    this.#statement = collection.statement(
      engine,
      `SELECT e.key, e.record, d.body FROM ${plan.index.table} e CROSS JOIN ${collection.table} d ON d.record = e.record
       WHERE (e.key, e.record) ${start} (?, ?) AND e.key ${end} ? ORDER BY e.key ${order}, e.record ${order} LIMIT ?`,
    );
  }

  pull(): Candidate[] | undefined {
    if (this.#at >= this.#intervals.length) return undefined;
    checkPresent(this.#collection);
    if (!this.#collection.indexes.includes(this.#index)) throw queryPlanKilled('the index was dropped');
    const candidates: Candidate[] = [];
    const room = { rows: this.#portion, bytes: PORTION_BYTES };
    while (room.rows > 0 && room.bytes > 0 && this.#at < this.#intervals.length) this.#pullInterval(room, candidates);
    this.#counts.keysExamined += this.#portion - room.rows;
    this.#counts.documentsExamined += candidates.length;
    this.#portion = Math.min(this.#portion * 2, LARGEST_PORTION);
    return candidates;
  }

  /** Goes on in the current interval as far as there is room; at its end, steps to the next. */
  #pullInterval(room: { rows: number; bytes: number }, candidates: Candidate[]): void {
    const interval = this.#intervals[this.#at] as Interval;
    const [first, last] = this.#backwards ? [interval.upper, interval.lower] : [interval.lower, interval.upper];
    this.#position ??= [first, -1];
    for (const row of this.#statement.iterate(...this.#position, last, room.rows)) {
      const [key, record, body] = row as unknown as [Uint8Array, number, Uint8Array];
      this.#position = [key, record];
      room.rows -= 1;
      room.bytes -= body.length;
      if (this.#isNew(record)) candidates.push(new Candidate(record, unseal(body)));
      if (room.bytes <= 0) return;
    }
    if (room.rows === 0) return;
    this.#at += 1;
    this.#position = undefined;
  }

  #isNew(record: RecordNumber): boolean {
    if (!this.#given) return true;
    if (this.#given.has(record)) return false;
    this.#given.add(record);
    return true;
  }
}

class UnionScan implements Source {
  readonly #sources: Source[];
  readonly #given = new Set<RecordNumber>();

  constructor(sources: Source[]) {
    this.#sources = sources;
  }

  pull(): Candidate[] | undefined {
    const source = this.#sources[0];
    if (!source) return undefined;
    const candidates = source.pull();
    if (!candidates) {
      this.#sources.shift();
      return [];
    }
    return candidates.filter(({ record }) => {
      if (this.#given.has(record)) return false;
      this.#given.add(record);
      return true;
    });
  }
}

function checkPresent(collection: Collection): void {
  if (collection.dropped)
    throw queryPlanKilled(`collection dropped. UUID ${Buffer.from(collection.uuid).toString('hex')}`);
}
