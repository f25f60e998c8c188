import type { Execution, ExecutionProgress, ExecutionStream, StreamFrame } from '@chorus/client';
import type { CommandContext } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

type Shown = Pick<CommandContext, 'output' | 'interrupts'>;

/** Follows an execution to its end; an interruption cancels it. `--json` prints its frames. */
export async function runExecution(
  { output, interrupts }: Shown,
  stream: ExecutionStream,
  show: (frame: StreamFrame, progress: ExecutionProgress) => void = () => undefined,
): Promise<Execution> {
  const cancel = () => {
    if (stream.executionId === null) output.note('Cancelling as soon as it starts. Press Ctrl-C again to exit now.');
    stream.cancel().catch((error: Error) => output.note(`Could not cancel; the execution continues: ${error.message}`));
  };
  interrupts.onInterrupt(cancel);
  try {
    for await (const frame of stream) {
      // Audio is saved as a file.
      if (frame.type !== 'audio.delta') output.record(frame);
      show(frame, stream.progress);
    }
    const { execution } = stream.progress;
    if (execution === null) throw new Error('The event stream ended before the execution did.');
    return execution;
  } finally {
    interrupts.onInterrupt(null);
  }
}

/** Reports an unsuccessful end and returns the exit code. */
export function exitCodeOfEnd({ output, interrupts }: Shown, { id, status, error, warnings }: Execution): number {
  for (const warning of warnings) output.note(`Note: ${warning}`);
  if (status === 'succeeded') return EXIT.done;
  output.note(status === 'cancelled' ? `Cancelled: ${id}` : `Failed: ${error?.message ?? status} (${id})`);
  return status === 'cancelled' && interrupts.happened ? EXIT.interrupted : EXIT.failed;
}
