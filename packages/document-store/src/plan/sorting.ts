import { holdMemory, releaseMemory } from '../memory.ts';
import type { SortComparator } from '../query/sort.ts';
import { sliceIsOver } from '../storage/turns.ts';
import { type Candidate, checkHeld, type Source } from './source.ts';

const PORTION = 128;
/** How many are sorted at once. Runs are merged a portion at a time, so that no piece of work is long. */
const RUN = 1024;
/** What a document takes in a sort besides its bytes: the objects that hold it and its key. */
const ENTRY_BYTES = 500;

interface Sorted {
  key: unknown[];
  candidate: Candidate;
  /** The order of arrival decides between equal keys, so that pages with skip and limit fit together. */
  arrival: number;
}

type Compare = (one: Sorted, other: Sorted) => number;

/** Sorts in memory, at most 100 MB; with a small limit, it never keeps more than about twice as many candidates. */
export function* sorted(source: Source, comparator: SortComparator, limit = Number.POSITIVE_INFINITY): Source {
  const compare: Compare = (one, other) => comparator.compareKeys(one.key, other.key) || one.arrival - other.arrival;
  const runs: Sorted[][] = [];
  let held: Sorted[] = [];
  let bytes = 0;
  let arrival = 0;
  for (const portion of source) {
    const before = bytes;
    for (const candidate of portion) {
      held.push({ key: comparator.key(candidate.document), candidate: candidate.undecoded(), arrival });
      arrival += 1;
      bytes += candidate.bytes.length;
      if (sliceIsOver()) yield [];
    }
    holdMemory(bytes - before + portion.length * ENTRY_BYTES, 'a sort');
    if (limit < RUN / 2) {
      if (held.length > limit * 2 + PORTION) {
        // What can't be among the first is let go.
        const dropped = held.sort(compare).splice(limit);
        for (const { candidate } of dropped) {
          bytes -= candidate.bytes.length;
          releaseMemory(candidate.bytes.length + ENTRY_BYTES);
        }
      }
    } else if (held.length >= RUN) {
      runs.push(held.sort(compare));
      held = [];
    }
    checkHeld(bytes, 'a sort');
    yield [];
  }
  runs.push(held.sort(compare));
  yield [];
  yield* merge(runs, compare);
}

/** Merges sorted runs, which wait in the order of the first element of each. */
function* merge(runs: Sorted[][], compare: Compare): Source {
  const compareRuns = (one: Sorted[], other: Sorted[]) => compare(one.at(-1) as Sorted, other.at(-1) as Sorted);
  // Reversed, so that the first element of a run, and the run with the first of all, are taken off the end.
  const waiting = runs.filter((run) => run.length > 0).map((run) => run.reverse());
  waiting.sort(compareRuns).reverse();
  while (waiting.length > 0) {
    const taken: Candidate[] = [];
    for (let run = waiting.pop(); run; run = waiting.pop()) {
      const { candidate } = run.pop() as Sorted;
      taken.push(candidate);
      releaseMemory(candidate.bytes.length + ENTRY_BYTES);
      if (run.length > 0) waiting.splice(placeFor(run, waiting, compareRuns), 0, run);
      if (taken.length === PORTION) break;
    }
    yield taken;
  }
}

function placeFor(run: Sorted[], waiting: Sorted[][], compare: (one: Sorted[], other: Sorted[]) => number): number {
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(waiting[middle] as Sorted[], run) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
