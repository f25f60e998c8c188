import { queryPlanKilled } from '../errors.ts';
import { DECODED_FACTOR, releaseMemory, reserveMemory } from '../memory.ts';
import type { Collection, EntryRow, RecordNumber } from '../storage/collection.ts';
import { sliceIsOver } from '../storage/scheduler.ts';
import { verifyChecksum } from '../storage/stored-document.ts';
import type { IndexPlan, Plan } from './planner.ts';
import { Candidate, type Source } from './source.ts';

export interface ScanCounts {
  keysExamined: number;
  documentsExamined: number;
}

/** Smaller than any record number, even of a damaged entry. */
const BEFORE_FIRST_RECORD: RecordNumber = Number.MIN_SAFE_INTEGER;
const FIRST_CHUNK_SIZE = 16;
const MAX_CHUNK_SIZE = 256;
const MAX_CHUNK_BYTES = 1024 * 1024;

/** Reads a plan's candidates. `wanted` limits the first chunk if the number needed is known. */
export function* scan(
  collection: Collection | undefined,
  plan: Plan,
  counts: ScanCounts = { keysExamined: 0, documentsExamined: 0 },
  wanted = FIRST_CHUNK_SIZE,
): Source {
  if (!collection || plan.kind === 'nothing') return;
  const first = Math.min(Math.max(1, wanted), MAX_CHUNK_SIZE);
  if (plan.kind === 'id') yield scanId(collection, plan.key, counts);
  else if (plan.kind === 'index') yield* scanIndex(collection, plan, counts, first);
  else if (plan.kind === 'collection') yield* scanCollection(collection, plan.backwards, counts, first);
  else {
    const seen = new RecordSet();
    for (const branch of plan.branches) {
      for (const chunk of scan(collection, branch, counts, first)) {
        yield chunk.filter(({ record }) => seen.add(record));
      }
    }
  }
}

function scanId(collection: Collection, key: Buffer, counts: ScanCounts): Candidate[] {
  checkNotDropped(collection);
  const row = collection.readById(key);
  if (!row) return [];
  counts.keysExamined += 1;
  counts.documentsExamined += 1;
  return [new Candidate(row[0], row[1])];
}

function* scanCollection(collection: Collection, backwards: boolean, counts: ScanCounts, first: number): Source {
  const [compare, order] = backwards ? ['<', 'DESC'] : ['>', 'ASC'];
  const statement = collection.statement(
    `SELECT record, body FROM ${collection.table} WHERE record ${compare} ? ORDER BY record ${order} LIMIT ?`,
  );
  let position = backwards ? Number.MAX_SAFE_INTEGER : -1;
  for (let rows = first; ; rows = Math.min(rows * 2, MAX_CHUNK_SIZE)) {
    checkNotDropped(collection);
    const candidates: Candidate[] = [];
    let bytes = 0;
    for (const row of statement.iterate(position, rows)) {
      const [record, body] = row as unknown as [RecordNumber, Uint8Array];
      candidates.push(new Candidate(record, verifyChecksum(body)));
      position = record;
      bytes += body.length;
      if (bytes > MAX_CHUNK_BYTES) break;
    }
    counts.documentsExamined += candidates.length;
    yield* withMemory(candidates, bytes);
    if (candidates.length < rows && bytes <= MAX_CHUNK_BYTES) return;
  }
}

function* scanIndex(collection: Collection, plan: IndexPlan, counts: ScanCounts, first: number): Source {
  const { index, backwards } = plan;
  const [start, end, order] = backwards ? ['<', '>=', 'DESC'] : ['>', '<', 'ASC'];
  const statement = collection.statement(
    `SELECT e.key, e.record, d.body FROM ${index.table} e LEFT JOIN ${collection.table} d ON d.record = e.record
     WHERE (e.key, e.record) ${start} (?, ?) AND e.key ${end} ? ORDER BY e.key ${order}, e.record ${order} LIMIT ?`,
  );
  // A multikey index may list a document several times.
  const seen = index.multikey ? new RecordSet() : undefined;
  let rows = first;
  let candidates: Candidate[] = [];
  let bytes = 0;
  let examined = 0;
  const isIdIndex = index === collection.idIndex;
  for (const { lower, upper, point } of backwards ? plan.intervals.toReversed() : plan.intervals) {
    let position: [Uint8Array, RecordNumber] = [backwards ? upper : lower, BEFORE_FIRST_RECORD];
    let isEmpty = true;
    for (let isOver = false; !isOver; ) {
      checkNotDropped(collection);
      if (!collection.indexes.includes(index)) throw queryPlanKilled('the index was dropped');
      isOver = true;
      for (const row of statement.iterate(...position, backwards ? lower : upper, rows - examined)) {
        const entry = row as unknown as EntryRow;
        const [key, record] = entry;
        const document = collection.bodyOf(entry);
        if (isIdIndex) collection.checkIdEntry(key, document);
        position = [key, record];
        isEmpty = false;
        examined += 1;
        bytes += document.length;
        if (!seen || seen.add(record)) candidates.push(new Candidate(record, document));
        isOver = examined < rows && bytes < MAX_CHUNK_BYTES;
        if (!isOver) break;
      }
      if (isOver && isEmpty && isIdIndex && point) collection.checkAbsence(lower);
      // Many empty intervals take time, too.
      if (isOver && !sliceIsOver()) continue;
      counts.keysExamined += examined;
      counts.documentsExamined += candidates.length;
      yield* withMemory(candidates, bytes);
      rows = Math.min(rows * 2, MAX_CHUNK_SIZE);
      [candidates, bytes, examined] = [[], 0, 0];
    }
  }
  counts.keysExamined += examined;
  counts.documentsExamined += candidates.length;
  yield candidates;
}

function* withMemory(candidates: Candidate[], bytes: number): Source {
  reserveMemory(DECODED_FACTOR * bytes, 'reading');
  yield candidates;
  releaseMemory(DECODED_FACTOR * bytes);
}

function checkNotDropped(collection: Collection): void {
  if (!collection.dropped) return;
  throw queryPlanKilled(`collection dropped. UUID ${Buffer.from(collection.uuid).toString('hex')}`);
}

const ENTRY_BYTES = 40;
const ACCOUNTING_STEP = 1024;

export class RecordSet {
  readonly #records = new Set<RecordNumber>();

  add(record: RecordNumber): boolean {
    const before = this.#records.size;
    this.#records.add(record);
    if (this.#records.size === before) return false;
    if (before % ACCOUNTING_STEP === ACCOUNTING_STEP - 1)
      reserveMemory(ACCOUNTING_STEP * ENTRY_BYTES, 'a set of records');
    return true;
  }
}
