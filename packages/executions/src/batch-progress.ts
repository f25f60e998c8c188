import type { Batch, BatchWait } from '@chorus/contract';
import type { BatchRecord } from '@chorus/database';
import type { LaneViews } from './lane-views.ts';

/** A pace is out of date if no item has ended for this long, or for the time that a few items take. */
const PACE_COUNTS_MS = 30_000;
const PACE_COUNTS_ITEMS = 3;
const PACE_COUNTS_AT_MOST_MS = 600_000;

type Counted = Pick<BatchRecord, 'counts' | 'pace' | 'lane_items' | 'finished_at'>;

/** Returns the progress of a batch, with what its queued items wait for. */
export function progressOf(batch: Counted, lanes: LaneViews): Batch['progress'] {
  const { counts, pace, finished_at } = batch;
  const { total, waiting, queued, running, requires_action } = counts;
  const left = waiting + queued + running + requires_action;
  const waits = finished_at === null ? waitsOf(batch, lanes) : [];
  const now = Date.now();
  const isCurrent = pace !== null && now - pace.at.getTime() < lastingMs(pace.per_second);
  const isKnown = pace !== null && (isCurrent || finished_at !== null || isIdle(batch, waits, now));
  const perSecond = isKnown ? pace.per_second : null;
  return {
    completed: total - left,
    total,
    per_second: perSecond === null ? null : Math.round(perSecond * 10) / 10,
    remaining_s: left === 0 ? 0 : remaining(batch, { left, perSecond, waits, now }),
    waiting_for: waits.map(({ shown }) => shown),
  };
}

interface Wait {
  shown: BatchWait;
  opensAt: number | null;
}

function waitsOf({ lane_items }: Counted, lanes: LaneViews): Wait[] {
  return lane_items.flatMap(({ lane, items }) => {
    const { waiting, opensAt = null } = lanes.get(lane) ?? {};
    return waiting ? [{ shown: { ...waiting, model: lane, items }, opensAt }] : [];
  });
}

function lastingMs(perSecond: number): number {
  const itemsMs = perSecond > 0 ? (1_000 * PACE_COUNTS_ITEMS) / perSecond : 0;
  return Math.min(Math.max(PACE_COUNTS_MS, itemsMs), PACE_COUNTS_AT_MOST_MS);
}

const isClosed = ({ opensAt }: Wait, now: number) => opensAt === null || opensAt > now;

/** Whether nothing runs, and all queued items wait for closed lanes. */
function isIdle({ counts: { queued, running } }: Counted, waits: readonly Wait[], now: number): boolean {
  const closed = waits.filter((wait) => isClosed(wait, now));
  return running === 0 && queued > 0 && closed.reduce((sum, { shown }) => sum + shown.items, 0) >= queued;
}

/** Estimates the seconds to the end. Null: an operator must act first, or the pace is unknown. */
function remaining(
  batch: Counted,
  { left, perSecond, waits, now }: { left: number; perSecond: number | null; waits: readonly Wait[]; now: number },
): number | null {
  if (!perSecond) return null;
  const openings: number[] = [];
  for (const { opensAt } of waits) {
    if (opensAt === null) return null;
    openings.push(Math.max(0, opensAt - now) / 1_000);
  }
  const idleS = isIdle(batch, waits, now) ? Math.min(...openings) : 0;
  return Math.ceil(Math.max(idleS + left / perSecond, ...openings));
}
