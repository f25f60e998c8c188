import { releaseMemory, reserveMemory } from '../memory.ts';
import type { SortComparator } from '../query/sort.ts';
import { sliceIsOver } from '../storage/scheduler.ts';
import { type Candidate, checkStageMemory, type Source } from './source.ts';

const CHUNK_SIZE = 128;
/** Records per sorted run. Runs are merged in chunks, to keep each step short. */
const RUN_LENGTH = 1024;
const ENTRY_BYTES = 500;

interface SortEntry {
  key: unknown[];
  candidate: Candidate;
  /** Makes the sort stable, so that pages with skip and limit fit together. */
  arrival: number;
}

type Compare = (one: SortEntry, other: SortEntry) => number;

/** Sorts in memory, up to 100 MB. With a small limit, keeps only about twice as many candidates. */
export function* sortCandidates(source: Source, comparator: SortComparator, limit = Number.POSITIVE_INFINITY): Source {
  const compare: Compare = (one, other) => comparator.compareKeys(one.key, other.key) || one.arrival - other.arrival;
  const runs: SortEntry[][] = [];
  let held: SortEntry[] = [];
  let bytes = 0;
  let arrival = 0;
  for (const chunk of source) {
    const before = bytes;
    for (const candidate of chunk) {
      held.push({ key: comparator.key(candidate.document), candidate: candidate.withoutDocument(), arrival });
      arrival += 1;
      bytes += candidate.bytes.length;
      if (sliceIsOver()) yield [];
    }
    reserveMemory(bytes - before + chunk.length * ENTRY_BYTES, 'a sort');
    if (limit < RUN_LENGTH / 2) {
      if (held.length > limit * 2 + CHUNK_SIZE) {
        const dropped = held.sort(compare).splice(limit);
        for (const { candidate } of dropped) {
          bytes -= candidate.bytes.length;
          releaseMemory(candidate.bytes.length + ENTRY_BYTES);
        }
      }
    } else if (held.length >= RUN_LENGTH) {
      runs.push(held.sort(compare));
      held = [];
    }
    checkStageMemory(bytes, 'a sort');
    yield [];
  }
  runs.push(held.sort(compare));
  yield [];
  yield* merge(runs, compare);
}

function* merge(runs: SortEntry[][], compare: Compare): Source {
  const compareRuns = (one: SortEntry[], other: SortEntry[]) =>
    compare(one.at(-1) as SortEntry, other.at(-1) as SortEntry);
  // Reversed, so that the next element and the next run are at the end.
  const waiting = runs.filter((run) => run.length > 0).map((run) => run.reverse());
  waiting.sort(compareRuns).reverse();
  while (waiting.length > 0) {
    const taken: Candidate[] = [];
    for (let run = waiting.pop(); run; run = waiting.pop()) {
      const { candidate } = run.pop() as SortEntry;
      taken.push(candidate);
      releaseMemory(candidate.bytes.length + ENTRY_BYTES);
      if (run.length > 0) waiting.splice(insertionPoint(run, waiting, compareRuns), 0, run);
      if (taken.length === CHUNK_SIZE) break;
    }
    yield taken;
  }
}

function insertionPoint(
  run: SortEntry[],
  waiting: SortEntry[][],
  compare: (one: SortEntry[], other: SortEntry[]) => number,
): number {
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(waiting[middle] as SortEntry[], run) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
