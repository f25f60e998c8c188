import { type BatchCounts, MAX_BATCH_WAITS } from '@chorus/contract';
import type { BatchPace, LaneItems } from '@chorus/database';
import { Pace } from './pace.ts';
import type { RunningBatch } from './running-batch.ts';

/** The progress of a running batch: its counts, its pace, and the lanes in which its items wait. */
export class BatchProgress {
  readonly #running: RunningBatch;
  readonly #pace = new Pace();
  #isWaiting = false;
  #noted: string;
  #reported = '';

  constructor(running: RunningBatch) {
    this.#running = running;
    this.#noted = this.#summary();
  }

  /** Counts queued and running executions by lane. Those that are held or wait for decisions hold no place. */
  outstandingByLane(): Map<string | null, number> {
    return this.#countByLane((index) => this.#running.state.statusOf(index) !== 'requires_action');
  }

  /** Counts queued executions by lane, those with the most first. */
  #laneItems(): LaneItems[] {
    const { awaited, lanes, state } = this.#running;
    const isQueued = (index: number) => state.statusOf(index) === 'queued';
    const counts = this.#countByLane(isQueued, (id) => awaited.get(id) ?? lanes.get(id));
    return [...counts]
      .flatMap(([lane, items]) => (lane === null ? [] : [{ lane, items }]))
      .sort((one, other) => other.items - one.items)
      .slice(0, MAX_BATCH_WAITS);
  }

  #countByLane(
    isCounted: (index: number) => boolean,
    laneOf: (id: string) => string | null | undefined = (id) => this.#running.lanes.get(id),
  ): Map<string | null, number> {
    const counts = new Map<string | null, number>();
    const undispatched = new Set(this.#running.undispatched);
    for (const [id, index] of this.#running.state.outstanding) {
      if (undispatched.has(index) || this.#running.held.has(id) || !isCounted(index)) continue;
      const lane = laneOf(id) ?? null;
      counts.set(lane, (counts.get(lane) ?? 0) + 1);
    }
    return counts;
  }

  /** Notes whether all work waits for closed lanes. The pace leaves out that time. */
  noteClosedLanes(isClosed: (lane: string) => boolean): void {
    const { queued, running } = this.#running.state.counts;
    const lanes = queued === 0 || running > 0 ? [] : [...this.outstandingByLane().keys()];
    this.#isWaiting = lanes.length > 0 && lanes.every((lane) => lane !== null && isClosed(lane));
    this.#pace.note(this.#isWaiting);
  }

  /** Whether the progress has changed since it was stored. */
  get hasChanged(): boolean {
    return this.#summary() !== this.#noted;
  }

  /** Returns the progress if it has changed since the last call. */
  changedCounts(): BatchCounts | null {
    const { counts } = this.#running.state;
    const text = JSON.stringify(counts);
    if (text === this.#reported) return null;
    this.#reported = text;
    return counts;
  }

  async store(): Promise<void> {
    if (!this.hasChanged) return;
    const summary = this.#summary();
    this.#running.parts.checkLeader();
    const progress = { ...this.#progress(), pace: this.#measure(), lane_items: this.#laneItems() };
    await this.#running.parts.database.batches.saveProgress(this.#running.batch.id, progress);
    this.#noted = summary;
  }

  /** Returns the progress of a batch that has ended. */
  final() {
    return { ...this.#progress(), pace: this.#measure() };
  }

  #measure(): BatchPace | null {
    const { total, waiting, queued, running, requires_action } = this.#running.state.counts;
    return this.#pace.measure(total - waiting - queued - running - requires_action);
  }

  #progress() {
    return { counts: this.#running.state.counts, ended_seq: this.#running.seq, started_at: this.#running.startedAt };
  }

  #summary(): string {
    return JSON.stringify([this.#progress(), this.#isWaiting, this.#running.awaited.size]);
  }
}
