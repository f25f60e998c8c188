export type { JobData } from '@chorus/contract';
export { type Addresses, addressesAt, openAddresses } from './addresses.ts';
export {
  type Announced,
  announceCancelling,
  announceEnd,
  announceProgress,
  announceQueued,
  announceStarted,
} from './announce.ts';
export { AssetUrls, type AssetVariant, type GivenSignature } from './asset-urls.ts';
export { chooseModel, firstModel, type ModelWish } from './choose-model.ts';
export { chooseVoice, type VoiceWish } from './choose-voice.ts';
export { closeLog } from './close-log.ts';
export { deletableExecution, deleteExecution } from './delete-execution.ts';
export { type Followed, type FollowParts, follow } from './follow.ts';
export { isOfTurn } from './is-of-turn.ts';
export { type NewExecution, newExecution } from './new-execution.ts';
export { cancelledOutcome, failedOutcome, NO_USAGE, type PartialOutcome } from './outcome.ts';
export { createQueuePlaces, placeKeys, type QueuePlaces, RAN_MS, sharerOf } from './places/queue-places.ts';
export { BEHIND_ALL, SAME_TURN } from './places/steps.ts';
export { presentBatch } from './present-batch.ts';
export { createdSeconds, presentExecution } from './present-execution.ts';
export { presentItem, withUrls } from './present-item.ts';
export {
  jobDataOf,
  queuePrefix,
  WORKER_ALIVE_MS,
  WORKER_METRICS_KEY,
  WORKERS_KEY,
} from './queue-names.ts';
export { createRunningExecutions } from './running-executions.ts';
export { applyEnding, endFromOutside, messageOfEnd, type SettleStore, settle, withRecord } from './settle.ts';
export { sumUsage } from './sum-usage.ts';
export { recordOfEnd, terminalEvent } from './terminal-event.ts';
