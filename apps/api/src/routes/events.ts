import { ChorusError, feedFrame, scopeKey } from '@chorus/contract';
import { isFeedId, ScopeFeedReader } from '@chorus/events';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { streamFeed } from '../responses/stream-feed.ts';

const PLACE = 'must be the `id` of an event of this stream';
const place = z.string().refine(isFeedId, { error: PLACE });

export const streamScopeEvents = defineRoute({
  method: 'get',
  path: '/events',
  area: 'jobs',
  summary: "Follow a scope's events",
  description:
    'Executions, batches, assets and sessions as `text/event-stream`: start, progress (about once a second), change and end. Look up results by id. Resumes after ' +
    '`Last-Event-ID` (or `after`) on any API process. The last thousand events are kept for an hour after the last one. If you reconnect later, or read too slowly, you get ' +
    '`events.lost` instead of the missing events. In a workspace, events of a session go only to the member who started it. A terminal event may be ' +
    "repeated if a process died: deduplicate by `execution_id`. The stream ends when its credential does. Counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`).",
  needs: 'read',
  query: z.strictObject({ after: place.optional().describe('The `id` of the last event you received.') }),
  answer: feedFrame,
  answerType: 'text/event-stream',
  streams: true,
  headers: { 'Last-Event-ID': 'The `id` of the last event you received. Browsers send it automatically.' },
  handle: async ({ query, owner, services, context, request }) => {
    const after = lastEventId(request.headers['last-event-id']) ?? query.after ?? null;
    const { redis, hub, config } = services;
    const keepMs = config.events.keepMs;
    await holdPlace(context, 'streams');
    const reader = await ScopeFeedReader.open(redis, hub, { scope: scopeKey(owner), after, keepMs });
    await streamFeed(context, reader);
    return undefined;
  },
});

function lastEventId(header: string | string[] | undefined): string | null {
  if (header === undefined || header === '') return null;
  const value = String(header);
  if (isFeedId(value)) return value;
  throw new ChorusError('invalid_request', 'Last-Event-ID is not an id of this stream.', {
    details: [{ path: 'headers.last-event-id', message: PLACE }],
  });
}
