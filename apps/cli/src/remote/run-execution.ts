import type { Execution, ExecutionProgress, ExecutionStream, StreamFrame } from '@chorus/client';
import { EXIT } from './exit-codes.ts';
import type { RemoteContext } from './remote-command.ts';

type Shown = Pick<RemoteContext, 'output' | 'interrupts'>;

/** Follows an execution to its end; being interrupted cancels it. `--json` gives its frames, the last with the whole execution. */
export async function runExecution(
  { output, interrupts }: Shown,
  stream: ExecutionStream,
  show: (frame: StreamFrame, progress: ExecutionProgress) => void = () => undefined,
): Promise<Execution> {
  const cancel = () => {
    if (stream.executionId === null) output.note('It is cancelled as soon as it has begun; Ctrl-C again ends at once.');
    stream.cancel().catch((error: Error) => output.note(`It could not be cancelled, and goes on: ${error.message}`));
  };
  interrupts.instead(cancel);
  try {
    for await (const frame of stream) {
      // Sound is saved as a file.
      if (frame.type !== 'audio.delta') output.record(frame);
      show(frame, stream.progress);
    }
    const { execution } = stream.progress;
    if (execution === null) throw new Error('An execution ended without an end.');
    return execution;
  } finally {
    interrupts.instead(null);
  }
}

/** Says how an execution ended, where that is no success; answers the exit code. */
export function exitCodeOfEnd({ output, interrupts }: Shown, { id, status, error, warnings }: Execution): number {
  for (const warning of warnings) output.note(`Note: ${warning}`);
  if (status === 'succeeded') return EXIT.done;
  output.note(status === 'cancelled' ? `Cancelled: ${id}` : `Failed: ${error?.message ?? status} (${id})`);
  return status === 'cancelled' && interrupts.happened ? EXIT.interrupted : EXIT.failed;
}
