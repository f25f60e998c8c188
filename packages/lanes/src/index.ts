export type { LanePass } from './call.ts';
export { createLanes, type Lanes, type LanesOptions } from './create-lanes.ts';
export type { LaneState } from './lane-state.ts';
export { LaneWait } from './lane-wait.ts';
export type { ProviderLimits, RateLimit } from './provider-limits.ts';
export { disownLanes, type NamedLaneState, readLanes, resumeLanes } from './read-lanes.ts';
export type { StateListener } from './state-listeners.ts';
export type { EnterOptions } from './waiting-calls.ts';
