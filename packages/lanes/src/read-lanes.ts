import { providerOf } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { knownLanes } from './known-lanes.ts';
import { type LaneState, stateOf } from './lane-state.ts';
import { laneSteps } from './steps/lane-steps.ts';

export type NamedLaneState = LaneState & { lane: string };

/**
 * Reads lanes without taking part in them.
 *
 * @param lanes Default: all that were used within a day or are stopped.
 */
export async function readLanes(redis: RedisConnection, lanes?: readonly string[]): Promise<NamedLaneState[]> {
  const steps = laneSteps(redis);
  const read = async (lane: string) => ({ lane, ...stateOf(await steps.read(lane)) });
  return fromRedis((async () => Promise.all((lanes ?? (await knownLanes(redis))).map(read)))());
}

/** Frees the calls of processes that are dead, before their leases in the lanes end. */
export async function disownLanes(redis: RedisConnection, processes: readonly string[]): Promise<void> {
  const steps = laneSteps(redis);
  const disown = async () => {
    await Promise.all((await knownLanes(redis)).map((lane) => steps.disown(lane, processes)));
  };
  await fromRedis(disown());
}

/**
 * Lets a call test a closed lane now. If the provider accepts that call, the lane opens.
 *
 * @param laneOrProvider A lane, or a provider to resume all its lanes.
 * @returns the lanes
 */
export async function resumeLanes(redis: RedisConnection, laneOrProvider: string): Promise<NamedLaneState[]> {
  const steps = laneSteps(redis);
  const resume = async () => {
    const isLane = laneOrProvider.includes('/');
    const lanes = isLane
      ? [laneOrProvider]
      : (await knownLanes(redis)).filter((lane) => providerOf(lane) === laneOrProvider);
    return Promise.all(lanes.map(async (lane) => ({ lane, ...stateOf(await steps.resume(lane)) })));
  };
  return fromRedis(resume());
}
