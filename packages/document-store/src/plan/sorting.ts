import { StoreError } from '../errors.ts';
import type { SortComparator } from '../query/sort.ts';
import { Candidate, type Portions, portionsOf, type Source, sourceOf } from './scan.ts';

const SORT_MEMORY_BYTES = 100 * 1024 * 1024;
const PORTION = 128;
/** So many are sorted at once; what is more is merged, a portion at a time, so that no piece of work is long. */
const RUN = 4096;

interface Sorted {
  key: unknown[];
  candidate: Candidate;
  /** The order of arrival decides between equal keys, so that pages with skip and limit fit together. */
  arrival: number;
}

type Compare = (one: Sorted, other: Sorted) => number;

/** Sorts in memory, at most 100 MB; with a small limit, it never keeps more than about twice as many candidates. */
export function sorted(source: Source, comparator: SortComparator, limit = Number.POSITIVE_INFINITY): Source {
  return sourceOf(sort(source, comparator, limit));
}

function* sort(source: Source, comparator: SortComparator, limit: number): Portions {
  const compare: Compare = (one, other) => comparator.compareKeys(one.key, other.key) || one.arrival - other.arrival;
  const runs: Sorted[][] = [];
  let held: Sorted[] = [];
  let bytes = 0;
  let arrival = 0;
  for (const portion of portionsOf(source)) {
    for (const { record, bytes: body, document, key: indexKey } of portion) {
      // What is held for long is held as bytes, without the decoded document.
      held.push({ key: comparator.key(document), candidate: new Candidate(record, body, indexKey), arrival });
      arrival += 1;
      bytes += body.length;
    }
    if (limit < RUN / 2) {
      if (held.length > limit * 2 + PORTION) {
        // What can't be among the first is let go.
        held = held.sort(compare).slice(0, limit);
        bytes = held.reduce((sum, { candidate }) => sum + candidate.bytes.length, 0);
      }
    } else if (held.length >= RUN) {
      runs.push(held.sort(compare));
      held = [];
    }
    if (bytes > SORT_MEMORY_BYTES) {
      throw new StoreError(
        292,
        'QueryExceededMemoryLimitNoDiskUseAllowed',
        `Sort exceeded memory limit of ${SORT_MEMORY_BYTES} bytes. Add an index, or specify a smaller limit.`,
      );
    }
    yield [];
  }
  runs.push(held.sort(compare));
  yield [];
  yield* merge(runs, compare);
}

interface Head {
  run: Sorted[];
  next: number;
}

/** Merges sorted runs, which wait in the order of the next element of each. */
function* merge(runs: Sorted[][], compare: Compare): Portions {
  const compareHeads = (one: Head, other: Head) =>
    compare(one.run[one.next] as Sorted, other.run[other.next] as Sorted);
  const heads = runs.filter((run) => run.length > 0).map((run): Head => ({ run, next: 0 }));
  heads.sort(compareHeads);
  while (heads.length > 0) {
    const taken: Candidate[] = [];
    for (let head = heads.shift(); head; head = heads.shift()) {
      taken.push((head.run[head.next] as Sorted).candidate);
      head.next += 1;
      if (head.next < head.run.length) heads.splice(placeFor(head, heads, compareHeads), 0, head);
      if (taken.length === PORTION) break;
    }
    yield taken;
  }
}

function placeFor(head: Head, heads: Head[], compare: (one: Head, other: Head) => number): number {
  let low = 0;
  let high = heads.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(heads[middle] as Head, head) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
