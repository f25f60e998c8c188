export type { JobData } from '@chorus/contract';
export { type Addresses, addressesAt, openAddresses } from './addresses.ts';
export {
  type Announced,
  announceCancelling,
  announceEnd,
  announceProgress,
  announceQueued,
  announceRequiredAction,
  announceStarted,
} from './announce.ts';
export { AssetUrls, type AssetVariant, type UrlSignature } from './asset-urls.ts';
export { budgetExceeded } from './budgets/budget-exceeded.ts';
export { type Budgets, chargeBudgets, followBudgets, type Reservation } from './budgets/budgets.ts';
export { type BudgetLedger, createBudgetLedger, type Shortage } from './budgets/ledger.ts';
export { periodsAt } from './budgets/periods.ts';
export { settleLost } from './budgets/settle-lost.ts';
export { chooseModel, firstModel, type ModelRequest, modelsNamed } from './choose-model.ts';
export { chooseVoice, type VoiceRequest } from './choose-voice.ts';
export { deletableExecution, deleteExecution } from './delete-execution.ts';
export { type Followed, type FollowParts, follow } from './follow.ts';
export { limitsOf, withLimits } from './follow-limits.ts';
export { defaultsOf, type ModelConfig, withModels } from './follow-model-settings.ts';
export { followOperatorSettings } from './follow-operator-settings.ts';
export { LaneReader, type LaneView, type LaneViews } from './lane-views.ts';
export { type Begun, isOfTurn, type NewExecution, newExecution, type StoredWork, type Work } from './new-execution.ts';
export { cancelledOutcome, failedOutcome, type PartialOutcome } from './outcome.ts';
export { FIRST_LANE_SIZE } from './places/lane-lines.ts';
export { SAME_TURN } from './places/place-turns.ts';
export { BEHIND_ALL } from './places/queue-keys.ts';
export {
  createQueuePlaces,
  JOB_OPTIONS,
  placeKeys,
  type QueuePlaces,
  RAN_MS,
  sharerOf,
  type TakenJob,
  type WaitLimit,
} from './places/queue-places.ts';
export { createQueueShards, type QueueShards } from './places/queue-shards.ts';
export {
  awaitedLane,
  presentBatch,
  presentExecution,
  presentItem,
  requiredActionOf,
  withUrls,
} from './present-execution.ts';
export { type ExpiryParts, endExpired } from './provider-waits.ts';
export {
  calledLane,
  JOBS_FREED_CHANNEL,
  jobDataOf,
  LEASES_KEY,
  laneOfExecution,
  type QueueName,
  type QueueSide,
  queueName,
  queuePrefix,
  sideOf,
  spendingOf,
  WORKER_ALIVE_MS,
  WORKER_METRICS_KEY,
  WORKERS_KEY,
} from './queue-names.ts';
export { createRunningExecutions } from './running-executions.ts';
export {
  answerText,
  applyEnding,
  endFromOutside,
  messageOfEnd,
  type SettleStore,
  settle,
  withRecord,
} from './settle.ts';
export { closeLog, recordOfEnd, replayEvents, terminalEvent } from './terminal-event.ts';
