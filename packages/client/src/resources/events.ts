import { idleMsOf } from '../execution-frames.ts';
import { type FollowOptions, follow, type Step } from '../follow.ts';
import type { FeedFrame } from '../generated/api-types.ts';
import { readEvents } from '../read-events.ts';
import { parseJson } from '../read-json.ts';
import type { Transport } from '../transport.ts';

export interface FeedOptions extends FollowOptions {
  /** `id` of the last event that you have: what comes goes on behind it. */
  after?: string | undefined;
}

/** What happened, and where to go on behind it. */
export interface FeedEvent {
  id: string | null;
  event: FeedFrame;
}

export function createEvents(transport: Transport) {
  return {
    /**
     * All that happens in the scope: executions, batches, assets. It has no end: leave the loop, or abort. After a lost connection it goes on behind the last
     * event; where the server keeps that no longer, `events.lost` says that the lists must be looked at again.
     */
    watch({ after, signal, onConnection }: FeedOptions = {}): AsyncGenerator<FeedEvent> {
      let last = after ?? null;
      let opened = false;
      const open = () => {
        const headers = last === null ? undefined : { 'Last-Event-ID': last };
        return transport.open('GET /events', {}, { signal, headers });
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
