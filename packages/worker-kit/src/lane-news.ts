import { type QueueName, type QueuePlaces, type QueueSide, sideOf } from '@chorus/executions';
import type { LaneState, Lanes } from '@chorus/lanes';
import type { Logger } from '@chorus/runtime/log';

/** Lanes that this process remembers. Another one tells the queue about lanes that it forgets. */
const MAX_LANES = 1_000;

/** Clocks and round trips differ by a few milliseconds. */
const REOPENED_MS = 5;

/** Closed lanes are read again after this time at the latest, since news may be lost. */
const READ_AGAIN_MS = 5_000;

/** How long a queue takes a stopped lane as closed, unless it hears otherwise. */
const STOPPED_MS = 86_400_000;

export interface LaneNewsParts {
  /** All queues of the pool. */
  queues: () => Promise<QueueName[]>;
  places: Pick<QueuePlaces, 'setLane'>;
  lanes: Pick<Lanes, 'onState' | 'read'>;
  log: Logger;
}

/** Tells the queues of a pool how many jobs of a lane may run, for the lanes that its jobs have used. */
export function createLaneNews({ queues, places, lanes, log }: LaneNewsParts) {
  /** The sizes of each open lane that the queues know. Null: they must hear it again. */
  const known = new Map<string, string | null>();
  /** The sides whose jobs have used each lane. */
  const sides = new Map<string, Set<QueueSide>>();
  const reopening = new Map<string, NodeJS.Timeout>();

  const tell = async (lane: string, { size, batchSize, closedMs, at }: LaneState): Promise<void> => {
    clearTimeout(reopening.get(lane));
    reopening.delete(lane);
    const isOpen = closedMs === 0;
    if (!isOpen) {
      const inMs = Math.min(closedMs ?? READ_AGAIN_MS, READ_AGAIN_MS) + REOPENED_MS;
      reopening.set(lane, setTimeout(() => void refresh(lane), inMs).unref());
    }
    const sizes = `${size} ${batchSize}`;
    if (isOpen && known.get(lane) === sizes) return;
    known.set(lane, isOpen ? sizes : null);
    const forMs = closedMs ?? STOPPED_MS;
    const told = (await queues()).filter((queue) => sides.get(lane)?.has(sideOf(queue)));
    await Promise.all(told.map((queue) => places.setLane(queue, lane, { size, batchSize, closedMs: forMs, at })));
  };

  /** Returns whether a side has used the lane before. */
  const note = (lane: string, side: QueueSide): boolean => {
    const noted = sides.get(lane);
    if (noted?.has(side)) return true;
    if (noted) noted.add(side);
    else sides.set(lane, new Set([side]));
    if (sides.size <= MAX_LANES) return false;
    const oldest = sides.keys().next().value as string;
    sides.delete(oldest);
    known.delete(oldest);
    return false;
  };

  const attempt = (lane: string, state: LaneState): Promise<void> =>
    tell(lane, state).catch((err) => {
      known.set(lane, null);
      log.warn({ err, lane }, 'a queue does not know the state of a lane');
    });

  const refresh = async (lane: string): Promise<LaneState | undefined> => {
    try {
      const [state] = await lanes.read([lane]);
      if (state) await attempt(lane, state);
      return state;
    } catch (err) {
      log.warn({ err, lane }, 'reading a lane failed');
      return undefined;
    }
  };

  const stop = lanes.onState((lane, state) => {
    if (known.has(lane)) void attempt(lane, state);
  });

  return {
    /** Follows a lane from now on. */
    use(lane: string, side: QueueSide): void {
      if (note(lane, side)) return;
      known.set(lane, null);
      void refresh(lane);
    },
    /** Tells the queues now, before a job goes back to one of them. Returns the lane's state if it can be read. */
    renew(lane: string, side: QueueSide): Promise<LaneState | undefined> {
      note(lane, side);
      known.set(lane, null);
      return refresh(lane);
    },
    close(): void {
      stop();
      for (const timer of reopening.values()) clearTimeout(timer);
    },
  };
}
