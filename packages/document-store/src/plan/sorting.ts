import { StoreError } from '../errors.ts';
import type { SortComparator } from '../query/sort.ts';
import { Candidate, type Source } from './scan.ts';

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

/** Sorts in memory, at most 100 MB; with a small limit, it never keeps more than about twice as many candidates. */
export class SortSource implements Source {
  readonly #source: Source;
  readonly #comparator: SortComparator;
  readonly #limit: number;
  readonly #runs: Sorted[][] = [];
  #held: Sorted[] = [];
  #bytes = 0;
  #arrivals = 0;
  #merge: Merge | undefined;

  constructor(source: Source, comparator: SortComparator, limit: number) {
    this.#source = source;
    this.#comparator = comparator;
    this.#limit = limit;
  }

  pull(): Candidate[] | undefined {
    if (this.#merge) return this.#merge.take(PORTION);
    const candidates = this.#source.pull();
    if (candidates) {
      this.#hold(candidates);
      return [];
    }
    this.#endRun();
    this.#merge = new Merge(this.#runs, this.#compare);
    return [];
  }

  #hold(candidates: Candidate[]): void {
    for (const candidate of candidates) {
      const key = this.#comparator.key(candidate.document);
      // What is held for long is held as bytes, without the decoded document.
      this.#held.push({ key, candidate: new Candidate(candidate.record, candidate.bytes), arrival: this.#arrivals });
      this.#arrivals += 1;
      this.#bytes += candidate.bytes.length;
    }
    if (this.#limit < RUN / 2) this.#keepFirst();
    else if (this.#held.length >= RUN) this.#endRun();
    if (this.#bytes > SORT_MEMORY_BYTES) {
      throw new StoreError(
        292,
        'QueryExceededMemoryLimitNoDiskUseAllowed',
        `Sort exceeded memory limit of ${SORT_MEMORY_BYTES} bytes. Add an index, or specify a smaller limit.`,
      );
    }
  }

  /** With a small limit, what can't be among the first is let go. */
  #keepFirst(): void {
    if (this.#held.length <= this.#limit * 2 + PORTION) return;
    this.#held.sort(this.#compare);
    this.#held = this.#held.slice(0, this.#limit);
    this.#bytes = this.#held.reduce((sum, { candidate }) => sum + candidate.bytes.length, 0);
  }

  #endRun(): void {
    this.#runs.push(this.#held.sort(this.#compare));
    this.#held = [];
  }

  readonly #compare = (one: Sorted, other: Sorted): number =>
    this.#comparator.compareKeys(one.key, other.key) || one.arrival - other.arrival;
}

/** Merges sorted runs: a binary heap of the runs, by the next element of each. */
class Merge {
  readonly #compare: (one: Sorted, other: Sorted) => number;
  readonly #heap: { run: Sorted[]; next: number }[] = [];

  constructor(runs: Sorted[][], compare: (one: Sorted, other: Sorted) => number) {
    this.#compare = compare;
    for (const run of runs) if (run.length > 0) this.#heap.push({ run, next: 0 });
    for (let at = this.#heap.length >> 1; at >= 0; at--) this.#sink(at);
  }

  take(count: number): Candidate[] | undefined {
    if (this.#heap.length === 0) return undefined;
    const taken: Candidate[] = [];
    while (taken.length < count) {
      const top = this.#heap[0];
      if (!top) break;
      taken.push((top.run[top.next] as Sorted).candidate);
      top.next += 1;
      if (top.next === top.run.length) {
        const last = this.#heap.pop();
        if (last && this.#heap.length > 0) this.#heap[0] = last;
      }
      this.#sink(0);
    }
    return taken;
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (this.#before(child, least)) least = child;
      if (least === at) return;
      [this.#heap[at], this.#heap[least]] = [this.#heap[least] as never, this.#heap[at] as never];
      at = least;
    }
  }

  #before(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    return a !== undefined && b !== undefined && this.#compare(a.run[a.next] as Sorted, b.run[b.next] as Sorted) < 0;
  }
}
