import { ChorusError, feedFrame, scopeKey } from '@chorus/contract';
import { isFeedId, ScopeFeedReader } from '@chorus/events';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { holdPlace } from '../delivery/hold-place.ts';
import { streamFeed } from '../delivery/stream-feed.ts';

const PLACE = 'must be the `id` of an event of this stream';
const place = z.string().refine(isFeedId, { error: PLACE });

export const streamScopeEvents = defineRoute({
  method: 'get',
  path: '/events',
  area: 'jobs',
  summary: 'Follow all that happens in the scope',
  description:
    'Executions, batches and assets, as `text/event-stream`: what begins, how far it is (about once a second), how it ends; what was made is to be looked up. Goes on after ' +
    '`Last-Event-ID` (or `after`) on any API process; the last thousand events are kept, for an hour after the last. Whoever comes later, or reads too slowly, gets ' +
    '`events.lost` in their place. Executions of sessions in a workspace are told to their maker alone. An end may be told once ' +
    "more where a process died meanwhile: go by `execution_id`. The stream ends when its credential does. Counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`).",
  needs: 'read',
  query: z.strictObject({ after: place.optional().describe('`id` of the last event that you have.') }),
  answer: feedFrame,
  answerType: 'text/event-stream',
  streams: true,
  headers: { 'Last-Event-ID': '`id` of the last event that you have; browsers send it by themselves.' },
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
  throw new ChorusError('invalid_request', 'Last-Event-ID is not an event id of ours.', {
    details: [{ path: 'headers.last-event-id', message: PLACE }],
  });
}
