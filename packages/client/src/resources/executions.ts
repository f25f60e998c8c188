import type { CallOptions } from '../client-options.ts';
import { hasEnded } from '../endings.ts';
import { executionFrames } from '../execution-frames.ts';
import { ExecutionStream } from '../execution-stream.ts';
import type { FollowOptions } from '../follow.ts';
import type { Execution } from '../generated/api-types.ts';
import type { Transport } from '../transport.ts';

export interface WatchOptions extends FollowOptions {
  /** `seq` of the last frame that you have: what comes goes on behind it. */
  after?: number | undefined;
}

export const cancelJob = (transport: Transport, id: string, options?: CallOptions): Promise<Execution> =>
  transport.request('POST /jobs/{job_id}/cancel', { path: { job_id: id } }, options);

export function watchJob(transport: Transport, id: string, options: WatchOptions = {}): ExecutionStream {
  const frames = executionFrames(transport, { executionId: id, ...options });
  return new ExecutionStream(frames, (executionId) => cancelJob(transport, executionId));
}

/** An execution when it has ended. */
export async function waitForEnd(transport: Transport, execution: Execution, options: CallOptions): Promise<Execution> {
  if (hasEnded(execution)) return execution;
  return watchJob(transport, execution.id, options).done();
}
