export type { JobData } from '@chorus/contract';
export { chooseModel, firstModel, type ModelWish } from './choose-model.ts';
export { closeLog } from './close-log.ts';
export { cancelledOutcome, failedOutcome, NO_USAGE, type PartialOutcome } from './outcome.ts';
export {
  jobDataOf,
  queuePrefix,
  WORKER_ALIVE_MS,
  WORKER_METRICS_KEY,
  WORKERS_KEY,
} from './queue-names.ts';
export { applyEnding, endFromOutside, type SettleStore, settle, withRecord } from './settle.ts';
export { recordOfEnd, terminalEvent } from './terminal-event.ts';
