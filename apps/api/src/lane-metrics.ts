import type { WaitReason } from '@chorus/contract';
import type { QueuedLane } from '@chorus/queue';
import { Gauge, type Registry } from 'prom-client';

/** Lanes with their own label. The rest count as `other`, since users can name any model. */
const MAX_LANES = 100;

const OTHER = 'other';

interface Measured {
  limit: number;
  inUse: number;
  waiting: number;
  oldestMs: number;
  /** Closed lanes, by reason. */
  closed: Map<WaitReason, number>;
}

/** Adds the state of all lanes. Those that are closed, waited for, or in use get labels first. */
export function addLaneGauges(registry: Registry, lanes: readonly QueuedLane[]): void {
  const gauge = <L extends string = never>(name: string, help: string, more: L[] = []) =>
    new Gauge({ name, help, labelNames: ['lane', ...more], registers: [registry] });
  const limit = gauge('chorus_lane_limit', 'Calls to a model that may run at once, as learned or set.');
  const inUse = gauge('chorus_lane_in_use', 'Calls to a model in flight, over all processes.');
  const waiting = gauge('chorus_lane_waiting', 'Jobs that wait for the lane of a model.');
  const oldest = gauge('chorus_lane_oldest_waiting_seconds', 'How long the oldest job has waited for a lane.');
  const closed = gauge('chorus_lane_closed', 'Lanes that take no calls, or single ones as a test. 0: open.', [
    'reason',
  ]);
  for (const [lane, measured] of measure(lanes)) {
    limit.set({ lane }, measured.limit);
    inUse.set({ lane }, measured.inUse);
    waiting.set({ lane }, measured.waiting);
    oldest.set({ lane }, measured.oldestMs / 1_000);
    if (measured.closed.size === 0) closed.set({ lane, reason: 'none' }, 0);
    for (const [reason, count] of measured.closed) closed.set({ lane, reason }, count);
  }
}

/** Whether no call may start, or a single one. A full lane is not closed. */
function closedBy({ reason, closedMs, halfOpen }: QueuedLane): WaitReason | null {
  return reason !== 'busy' && (closedMs !== 0 || halfOpen) ? reason : null;
}

function measure(lanes: readonly QueuedLane[]): Map<string, Measured> {
  const weight = (one: QueuedLane) => (closedBy(one) === null ? 0 : 1e9) + one.waiting + one.inUse;
  const sorted = [...lanes].sort((one, other) => weight(other) - weight(one));
  const all = new Map<string, Measured>();
  for (const [at, lane] of sorted.entries()) {
    const name = at < MAX_LANES ? lane.lane : OTHER;
    const before = all.get(name) ?? { limit: 0, inUse: 0, waiting: 0, oldestMs: 0, closed: new Map() };
    const reason = closedBy(lane);
    if (reason !== null) before.closed.set(reason, (before.closed.get(reason) ?? 0) + 1);
    all.set(name, {
      limit: before.limit + lane.limit,
      inUse: before.inUse + lane.inUse,
      waiting: before.waiting + lane.waiting,
      oldestMs: Math.max(before.oldestMs, lane.oldestMs),
      closed: before.closed,
    });
  }
  return all;
}
