import { idleMsOf } from '../execution-frames.ts';
import { type FollowOptions, follow, type Step } from '../follow.ts';
import type { FeedFrame } from '../generated/api-types.ts';
import { parseJson, readEvents } from '../read-response.ts';
import type { Transport } from '../transport.ts';

export interface FeedOptions extends FollowOptions {
  /** `id` of the last event you have. Default: from now on. */
  after?: string | undefined;
}

/** An event of the scope. `id` is the `after` to resume behind it. */
export interface FeedEvent {
  id: string | null;
  event: FeedFrame;
}

export function createEvents(transport: Transport) {
  return {
    /**
     * Iterates over everything that happens in the scope: executions, batches, assets. It never
     * ends; leave the loop, or abort.
     *
     * After a lost connection it resumes behind the last event. If the server no longer has the
     * events in between, an `events.lost` event says that lists must be loaded again.
     */
    watch({ after, onConnection, ...options }: FeedOptions = {}): AsyncGenerator<FeedEvent> {
      const { signal } = options;
      let last = after ?? null;
      let opened = false;
      const open = () => {
        const headers = { ...options.headers, ...(last !== null && { 'Last-Event-ID': last }) };
        return transport.open('GET /events', {}, { ...options, headers });
      };
      const read = async function* (response: Response): AsyncGenerator<Step<FeedEvent>> {
        for await (const { id, data } of readEvents(response, idleMsOf(transport), signal)) {
          last = id ?? last;
          const event = parseJson<FeedFrame>(data);
          const again = event.type === 'events.opened' && opened;
          opened ||= event.type === 'events.opened';
          if (!again) yield { value: { id, event } };
        }
      };
      return follow({ type: 'text/event-stream', open, read, limits: transport.options, signal, onConnection });
    },
  };
}
