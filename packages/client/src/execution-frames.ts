import type { RequestOptions } from './client-options.ts';
import { isTerminalFrame } from './endings.ts';
import { type FollowOptions, follow, type Step } from './follow.ts';
import type { StreamFrame } from './generated/api-types.ts';
import { readEvents } from './read-events.ts';
import { parseJson } from './read-json.ts';
import type { Transport } from './transport.ts';

/** What follows the last frame. */
const DONE = '[DONE]';

/** How long a stream may be silent, in milliseconds: the server says something every 15 s. */
export const idleMsOf = ({ options }: Pick<Transport, 'options'>): number => options.streamIdleMs ?? 45_000;

export interface FramesSource extends FollowOptions {
  /** The execution; null: it is the first frame that tells. */
  executionId: string | null;
  /** The `seq` of the last frame that is known already. */
  after?: number | undefined;
  /** Begins it. Absent: it runs already. */
  begin?: ((options: RequestOptions) => Promise<Response>) | undefined;
}

/**
 * The frames of one execution: none lost, none doubled, and its end exactly once. What comes after a lost connection goes on behind the last
 * frame; where the server keeps it no longer, it begins anew with `text.reset`.
 */
export function executionFrames(transport: Transport, source: FramesSource): AsyncGenerator<StreamFrame> {
  const { begin, signal, onConnection } = source;
  let { executionId } = source;
  let last = source.after ?? 0;

  const open = (): Promise<Response> => {
    if (executionId === null && begin) return begin({ signal });
    if (executionId === null) throw new TypeError('Neither an execution nor its beginning is given.');
    const headers = last > 0 ? { 'Last-Event-ID': String(last) } : undefined;
    return transport.open('GET /jobs/{job_id}/events', { path: { job_id: executionId } }, { signal, headers });
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
