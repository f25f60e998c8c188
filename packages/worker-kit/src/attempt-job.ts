import type { JobKind, Usage } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import type { SettleStore } from '@chorus/executions';
import type { LaneWait } from '@chorus/lanes';
import type { Logger } from '@chorus/runtime/log';
import type { AttemptSpending } from './attempt-spending.ts';
import type { Handler, JobContext } from './handler.ts';

export type WorkerStore = SettleStore & {
  executions: Pick<
    Database['executions'],
    | 'finish'
    | 'get'
    | 'claim'
    | 'markRunning'
    | 'markWaiting'
    | 'saveCheckpoint'
    | 'saveProgress'
    | 'saveUsage'
    | 'suspend'
  >;
};

export interface EndedAttempt {
  kind: JobKind;
  status: ExecutionRecord['status'];
  durationMs: number;
  /** Time from the start to the first delta of the answer. Null: none was shown. */
  firstTextMs: number | null;
  model: string | null;
  usage: Usage;
}

export interface AttemptObserver {
  /** Called when the first attempt begins. */
  began(job: { kind: JobKind; waitedMs: number }): void;
  ended(attempt: EndedAttempt): void;
}

export interface AttemptParts {
  store: WorkerStore;
  eventLog: EventLog;
  log: Logger;
  observer: AttemptObserver;
  /** Charges ended executions to their budgets. */
  charge?: ((execution: ExecutionRecord) => void) | undefined;
  onEnded?: ((execution: ExecutionRecord) => void) | undefined;
}

export interface AttemptJob<K extends JobKind> {
  kind: K;
  executionId: string;
  attempt: number;
  /** Whether the earlier attempt was handed back during a shutdown, rather than lost. */
  handedBack: boolean;
  owner: JobContext<K>['owner'];
  input: JobContext<K>['input'];
  sessionId: string | null;
  batchId: string | null;
  requestId: string | null;
  timeoutMs: number;
  /** Channel of the event hub that follows the execution from the start: see `JobData`. */
  hub?: string | undefined;
  /** Time used by earlier attempts that gave their place back. */
  ranMs?: number;
  isPlaceWanted?: (ranMs: number) => Promise<boolean>;
  /**
   * Returns whether the job may wait for its provider instead of failing.
   *
   * @param advanced Whether this attempt did work that no other will repeat, so that the limit of waiting begins again.
   */
  mayWait?: (wait: LaneWait, advanced: boolean) => Promise<boolean>;
  /** Called once something is shown that cannot be taken back, so that another attempt would have to end the job. */
  onUnrepeatable?: () => void;
  /** Resets the count of workers that died on this job. */
  forgiveDeaths?: () => Promise<unknown>;
  /** Its budgets. Absent: it has none. */
  spending?: AttemptSpending | undefined;
  handler: Handler<K>;
}

/**
 * `contested`: another attempt with the same number writes, so this one must become the next. `wait`: the job must
 * wait for its provider.
 */
export type AttemptEnd = 'settled' | 'refused' | 'handback' | 'yield' | 'wait' | 'contested';
