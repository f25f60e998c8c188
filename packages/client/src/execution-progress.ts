import { isTerminalFrame } from './endings.ts';
import type { Execution, OutputItem, Progress, StreamFrame } from './generated/api-types.ts';

/** What is known of an execution from its frames so far. */
export interface ExecutionProgress {
  executionId: string | null;
  status: Execution['status'];
  /** The text as it stands: what was said before a `text.reset` is gone. */
  text: string;
  /** Output items that are finished, at their places; of a text that is still being written there is none. */
  output: readonly (OutputItem | undefined)[];
  progress: Progress | null;
  attempt: number;
  /** The whole execution, once it has ended. */
  execution: Execution | null;
}

/** Before the first frame. */
export const NO_PROGRESS: ExecutionProgress = {
  executionId: null,
  status: 'queued',
  text: '',
  output: [],
  progress: null,
  attempt: 1,
  execution: null,
};

/** What is known after one more frame. Changes nothing that was given, so that a view can compare. */
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
      return { ...known, text: '', output: known.output.map((item) => (goesWithText(item) ? undefined : item)) };
    case 'progress':
      return { ...known, status: 'running', progress: frame.progress };
    case 'output.item': {
      const output = [...known.output];
      output[frame.index] = frame.item;
      return { ...known, output };
    }
    default:
      return known; // sound, and what later versions tell
  }
}

/** All text of an execution. */
export function textOf({ output }: Pick<Execution, 'output'>): string {
  return output.flatMap((item) => (item.type === 'text' ? item.text : [])).join('');
}

const goesWithText = (item: OutputItem | undefined) => item?.type === 'text' || item?.type === 'citation';
