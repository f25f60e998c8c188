import { queryPlanKilled } from '../errors.ts';
import { holdMemory, releaseMemory } from '../memory.ts';
import type { Collection, EntryRow, RecordNumber } from '../storage/collection.ts';
import { unseal } from '../storage/sealed-body.ts';
import { sliceIsOver } from '../storage/turns.ts';
import type { IndexPlan, Plan } from './planner.ts';
import { RecordSet } from './record-set.ts';
import { Candidate, type Source } from './source.ts';

/** What a query looked at, for explain. */
export interface ScanCounts {
  keysExamined: number;
  documentsExamined: number;
}

/** Below every record number, also below what a damaged entry may say. */
const BEFORE_ALL: RecordNumber = Number.MIN_SAFE_INTEGER;
const FIRST_PORTION = 16;
const LARGEST_PORTION = 256;
const PORTION_BYTES = 1024 * 1024;

/** Walks the candidates of a plan. `wanted`: how many will be taken, where that is known; no more are read at first. */
export function* scan(
  collection: Collection | undefined,
  plan: Plan,
  counts: ScanCounts = { keysExamined: 0, documentsExamined: 0 },
  wanted = FIRST_PORTION,
): Source {
  if (!collection || plan.kind === 'nothing') return;
  const first = Math.min(Math.max(1, wanted), LARGEST_PORTION);
  if (plan.kind === 'id') yield scanId(collection, plan.key, counts);
  else if (plan.kind === 'index') yield* scanIndex(collection, plan, counts, first);
  else if (plan.kind === 'collection') yield* scanCollection(collection, plan.backwards, counts, first);
  else {
    const given = new RecordSet();
    for (const branch of plan.branches) {
      for (const portion of scan(collection, branch, counts, first)) {
        yield portion.filter(({ record }) => given.add(record));
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

function* scanCollection(collection: Collection, backwards: boolean, counts: ScanCounts, first: number): Source {
  const [compare, order] = backwards ? ['<', 'DESC'] : ['>', 'ASC'];
  const statement = collection.statement(
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
    yield* held(candidates, bytes);
    if (candidates.length < rows && bytes <= PORTION_BYTES) return;
  }
}

function* scanIndex(collection: Collection, plan: IndexPlan, counts: ScanCounts, first: number): Source {
  const { index, backwards } = plan;
  const [start, end, order] = backwards ? ['<', '>=', 'DESC'] : ['>', '<', 'ASC'];
  const statement = collection.statement(
    `SELECT e.key, e.record, d.body FROM ${index.table} e LEFT JOIN ${collection.table} d ON d.record = e.record
     WHERE (e.key, e.record) ${start} (?, ?) AND e.key ${end} ? ORDER BY e.key ${order}, e.record ${order} LIMIT ?`,
  );
  // One document may come by several keys of a multikey index.
  const given = index.multikey ? new RecordSet() : undefined;
  let rows = first;
  let candidates: Candidate[] = [];
  let bytes = 0;
  let examined = 0;
  const isIdIndex = index === collection.idIndex;
  for (const { lower, upper, point } of backwards ? plan.intervals.toReversed() : plan.intervals) {
    let position: [Uint8Array, RecordNumber] = [backwards ? upper : lower, BEFORE_ALL];
    let isEmpty = true;
    for (let isOver = false; !isOver; ) {
      checkPresent(collection);
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
        if (!given || given.add(record)) candidates.push(new Candidate(record, document));
        isOver = examined < rows && bytes < PORTION_BYTES;
        if (!isOver) break;
      }
      if (isOver && isEmpty && isIdIndex && point) collection.checkAbsence(lower);
      // Many intervals in which there is nothing take their time, too.
      if (isOver && !sliceIsOver()) continue;
      counts.keysExamined += examined;
      counts.documentsExamined += candidates.length;
      yield* held(candidates, bytes);
      rows = Math.min(rows * 2, LARGEST_PORTION);
      [candidates, bytes, examined] = [[], 0, 0];
    }
  }
  counts.keysExamined += examined;
  counts.documentsExamined += candidates.length;
  yield candidates;
}

/** What a portion takes while its documents are looked at, compared with their bytes. */
const DECODED = 4;

function* held(candidates: Candidate[], bytes: number): Source {
  holdMemory(DECODED * bytes, 'reading');
  yield candidates;
  releaseMemory(DECODED * bytes);
}

function checkPresent(collection: Collection): void {
  if (!collection.dropped) return;
  throw queryPlanKilled(`collection dropped. UUID ${Buffer.from(collection.uuid).toString('hex')}`);
}
