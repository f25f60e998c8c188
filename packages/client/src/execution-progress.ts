import type { Execution, OutputItem, Progress, StreamFrame } from './generated/api-types.ts';

/** `queued`, `running`, `cancelling`, `succeeded`, `failed`, or `cancelled`. */
export type ExecutionStatus = Execution['status'];

/** The last frame of every stream. */
export type TerminalFrame = Extract<StreamFrame, { execution: Execution }>;

/** Returns whether this is the last frame. */
export function isTerminalFrame(frame: StreamFrame): frame is TerminalFrame {
  return 'execution' in frame;
}

/** Returns whether an execution has ended. */
export function hasEnded({ status }: Pick<Execution, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

/** State of an execution, folded from its frames so far. */
export interface ExecutionProgress {
  /** Null before the first frame. */
  executionId: string | null;
  status: Execution['status'];
  /** The text so far. A `text.reset` empties it. */
  text: string;
  /** Finished output items by index. A text that is still being written has none. */
  output: readonly (OutputItem | undefined)[];
  /** The last progress that was reported. */
  progress: Progress | null;
  /** Counts up when another worker takes over. */
  attempt: number;
  /** The execution, once it has ended. */
  execution: Execution | null;
}

/** The state before the first frame. */
export const NO_PROGRESS: ExecutionProgress = {
  executionId: null,
  status: 'queued',
  text: '',
  output: [],
  progress: null,
  attempt: 1,
  execution: null,
};

/** Returns the state after one more frame, as a new object, so that a view can compare. */
export function advance(before: ExecutionProgress, frame: StreamFrame): ExecutionProgress {
  const known = { ...before, executionId: frame.execution_id };
  if (isTerminalFrame(frame)) {
    const { execution } = frame;
    const { status, output, progress, attempt } = execution;
    return { ...known, status, output, progress, attempt, execution, text: textOf(execution) };
  }
  switch (frame.type) {
    case 'execution.queued':
      return known;
    case 'execution.started':
      return { ...known, status: 'running', attempt: frame.attempt };
    case 'text.delta':
      return { ...known, status: 'running', text: known.text + frame.delta };
    case 'text.reset':
      return { ...known, text: '', output: known.output.map((item) => (isTextual(item) ? undefined : item)) };
    case 'progress':
      return { ...known, status: 'running', progress: frame.progress };
    case 'output.item': {
      const output = [...known.output];
      output[frame.index] = frame.item;
      return { ...known, output };
    }
    default:
      return known; // sound, and frames of later versions
  }
}

/** Returns all text of an execution. */
export function textOf({ output }: Pick<Execution, 'output'>): string {
  return output.flatMap((item) => (item.type === 'text' ? item.text : [])).join('');
}

const isTextual = (item: OutputItem | undefined) => item?.type === 'text' || item?.type === 'citation';
