import type { LanePass, Lanes } from '@chorus/lanes';

/** Admits the calls to models: see `packages/lanes`. */
export type CallGate = Pick<Lanes, 'enter'>;

const nothing = () => undefined;

const FREE: LanePass = {
  accepted: nothing,
  began: nothing,
  ended: nothing,
  refused: nothing,
  failed: nothing,
  stopped: nothing,
  learned: nothing,
  leave: nothing,
};

/** Admits everything. */
export const openGate: CallGate = { enter: () => FREE };
