import type { Execution, StreamFrame } from './generated/api-types.ts';

export type ExecutionStatus = Execution['status'];

/** The last frame of every stream. */
export type TerminalFrame = Extract<StreamFrame, { execution: Execution }>;

/** Whether nothing comes after this frame. */
export function isTerminalFrame(frame: StreamFrame): frame is TerminalFrame {
  return 'execution' in frame;
}

/** Whether an execution, or anything else with its statuses, has ended. */
export function hasEnded({ status }: Pick<Execution, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
