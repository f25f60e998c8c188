import { type CallOptions, callOptions } from './client-options.ts';
import { hasEnded, isTerminalFrame } from './execution-progress.ts';
import { ExecutionStream } from './execution-stream.ts';
import { type FollowOptions, follow, type Step } from './follow.ts';
import type { Execution, StreamFrame } from './generated/api-types.ts';
import { parseJson, readEvents } from './read-response.ts';
import type { Transport } from './transport.ts';

/** Marks the end of a stream. */
const DONE = '[DONE]';

/** Returns how long a stream may be silent. The server sends something every 15 s. */
export const idleMsOf = ({ options }: Pick<Transport, 'options'>): number => options.streamIdleMs ?? 45_000;

export interface FramesSource extends FollowOptions {
  /** Id of the execution. Null: the first frame contains it. */
  executionId: string | null;
  /** `seq` of the last known frame. */
  after?: number | undefined;
  /** Starts the execution. Absent: it is already running. */
  start?: ((options: CallOptions) => Promise<Response>) | undefined;
}

/**
 * Iterates over the frames of one execution: none is lost or repeated, and the end comes once.
 *
 * After a lost connection, it resumes after the last frame. If the server no longer has the frames in between, it
 * starts over with `text.reset`.
 */
export function executionFrames(transport: Transport, source: FramesSource): AsyncGenerator<StreamFrame> {
  const { start, signal, onConnection } = source;
  const call = callOptions(source);
  let { executionId } = source;
  let last = source.after ?? 0;

  const open = (): Promise<Response> => {
    if (executionId === null && start) return start(call);
    if (executionId === null) throw new TypeError('Neither an execution nor its beginning is given.');
    const headers = { ...call.headers, ...(last > 0 && { 'Last-Event-ID': String(last) }) };
    return transport.open('GET /jobs/{job_id}/events', { path: { job_id: executionId } }, { ...call, headers });
  };

  const read = async function* (response: Response): AsyncGenerator<Step<StreamFrame>, boolean> {
    for await (const { id, data } of readEvents(response, idleMsOf(transport), signal)) {
      if (data === DONE) return true;
      const frame = parseJson<StreamFrame>(data);
      executionId = frame.execution_id;
      if (id !== null) {
        const seq = Number(id);
        if (seq <= last) continue;
        last = seq;
      }
      yield { value: frame, last: isTerminalFrame(frame) };
    }
    return false;
  };

  return follow({ type: 'text/event-stream', open, read, limits: transport.options, signal, onConnection });
}

export interface WatchOptions extends FollowOptions {
  /** `seq` of the last frame you have. Default: from the first frame. */
  after?: number | undefined;
}

export const cancelJob = (transport: Transport, id: string, options?: CallOptions): Promise<Execution> =>
  transport.request('POST /jobs/{job_id}/cancel', { path: { job_id: id } }, options);

export function watchJob(transport: Transport, id: string, options: WatchOptions = {}): ExecutionStream {
  const frames = executionFrames(transport, { executionId: id, ...options });
  return new ExecutionStream(frames, (executionId) => cancelJob(transport, executionId));
}

/** Returns an execution when it has ended, or needs decisions about tool calls. */
export async function waitForEnd(transport: Transport, execution: Execution, options: CallOptions): Promise<Execution> {
  if (hasEnded(execution) || execution.status === 'requires_action') return execution;
  const stream = watchJob(transport, execution.id, options);
  for await (const frame of stream) {
    if (frame.type !== 'execution.requires_action') continue;
    // An earlier wait may be over.
    const now = await transport.request('GET /jobs/{job_id}', { path: { job_id: execution.id } }, options);
    if (now.status === 'requires_action') return now;
  }
  return stream.done();
}
