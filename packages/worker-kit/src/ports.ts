import type { JobKind, Usage } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { SettleStore } from '@chorus/executions';

/** The part of the database that a worker needs. */
export type WorkerStore = SettleStore & {
  executions: Pick<
    Database['executions'],
    'finish' | 'get' | 'claim' | 'markRunning' | 'saveCheckpoint' | 'noteProgress'
  >;
};

export interface EndedAttempt {
  kind: JobKind;
  status: ExecutionRecord['status'];
  durationMs: number;
  /** Start to first text; null when none was shown. */
  firstTextMs: number | null;
  model: string | null;
  usage: Usage;
}

export interface AttemptObserver {
  ended(attempt: EndedAttempt): void;
}
