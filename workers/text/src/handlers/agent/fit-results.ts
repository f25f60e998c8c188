import { callOutcome, type ToolCallItem } from '@chorus/contract';

/** An old result is cut to this size first, and left out if that is not enough. */
const MIN_RESULT_BYTES = 500;

/** How much of each result goes into a prompt. */
export interface FittedResults {
  /** Longest part in bytes, by the id of the call. Absent: all of it. 0: it is left out. */
  limits: ReadonlyMap<string, number>;
  cut: number;
  dropped: number;
  leftOutBytes: number;
}

/**
 * Fits the results of a turn's steps into a room. Once they exceed it, the oldest are cut, and then left out, until
 * half of the room is free. Further steps then change nothing for a while, so that providers can cache the prompt.
 */
export function fitResults(steps: readonly (readonly ToolCallItem[])[], maxBytes: number): FittedResults {
  const sizes = new Map(steps.flat().map((call) => [call.id, Buffer.byteLength(callOutcome(call))]));
  const limits = new Map<string, number>();
  const shownOf = ({ id }: ToolCallItem) => Math.min(sizes.get(id) ?? 0, limits.get(id) ?? Number.POSITIVE_INFINITY);
  const sum = (calls: readonly ToolCallItem[]) => calls.reduce((total, call) => total + shownOf(call), 0);
  for (const [at, latest] of steps.entries()) {
    const older = steps.slice(0, at).flat();
    let total = sum(older) + sum(latest);
    if (total <= maxBytes) continue;
    for (const limit of [MIN_RESULT_BYTES, 0])
      for (const call of older) {
        if (total <= maxBytes / 2) break;
        const before = shownOf(call);
        if (before <= limit) continue;
        limits.set(call.id, limit);
        total += limit - before;
      }
    if (total <= maxBytes) continue;
    const share = Math.max(MIN_RESULT_BYTES, Math.floor((maxBytes - sum(older)) / latest.length));
    for (const call of latest) if (shownOf(call) > share) limits.set(call.id, share);
  }
  const all = steps.flat();
  const lost = all.map((call) => (sizes.get(call.id) ?? 0) - shownOf(call));
  return {
    limits,
    cut: [...limits.values()].filter((limit) => limit > 0).length,
    dropped: [...limits.values()].filter((limit) => limit === 0).length,
    leftOutBytes: lost.reduce((total, bytes) => total + bytes, 0),
  };
}
