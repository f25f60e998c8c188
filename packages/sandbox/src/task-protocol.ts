import type { ErrorCode } from '@chorus/contract';

export type ToChild =
  /** Once, when it begins. */
  { type: 'settings'; settings: unknown } | { type: 'task'; task: unknown };

/** How a task ended; `ready`: there is none yet. */
export type Ending =
  | { type: 'ready' }
  | { type: 'done'; answer: unknown }
  | { type: 'failed'; code: ErrorCode; message: string }
  /** A mistake of ours, not of the task: nothing for users' eyes. */
  | { type: 'broken'; stack: string };

/** What a child has used so far. */
export interface Used {
  /** Of computing. */
  cpuMs: number;
  memoryBytes: number;
}

export type FromChild =
  | (Ending & Used)
  /** In the middle of a task. */
  | { type: 'told'; told: unknown };
