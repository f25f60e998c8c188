import {
  ChorusError,
  deletion,
  type Execution,
  execution,
  jobsQuery,
  listOf,
  mayChange,
  type Owner,
  queryFlag,
  webhookUrl,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { deletableExecution, deleteExecution, presentExecution } from '@chorus/executions';
import { recordingOf } from '@chorus/queue';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { holdPlace } from '../delivery/hold-place.ts';
import { forgetInput } from '../delivery/openai-style.ts';
import { repeatedWork } from '../delivery/repeated-work.ts';
import { retryOnce } from '../delivery/retry-once.ts';
import { runWork } from '../delivery/run-work.ts';
import { streamEvents } from '../delivery/stream.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

const params = { job_id: 'job' } as const;

const present = ({ addresses }: ScopedContext, record: ExecutionRecord): Execution =>
  presentExecution(record, addresses);

export const listJobs = defineRoute({
  method: 'get',
  path: '/jobs',
  area: 'jobs',
  summary: 'List executions',
  description: 'Newest first.',
  needs: 'read',
  query: jobsQuery,
  answer: listOf(execution),
  handle: async ({ query, owner, services, context }) => {
    const page = await services.database.executions.list(owner, query);
    return { object: 'list', ...page, data: page.data.map((record) => present(context, record)) };
  },
});

export const getJob = defineRoute({
  method: 'get',
  path: '/jobs/:job_id',
  area: 'jobs',
  summary: 'Get an execution',
  needs: 'read',
  params,
  answer: execution,
  handle: async ({ params, owner, services, context }) => {
    const record = await services.database.executions.get(owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    // The record of an execution that has just begun may lag behind its events.
    const begun = record.status === 'queued' && (await services.eventLog.peek(record.id).catch(() => null));
    if (begun) record.status = 'running';
    return present(context, record);
  },
});

const eventsQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('`seq` of the last event that you have.'),
});

export const streamJobEvents = defineRoute({
  method: 'get',
  path: '/jobs/:job_id/events',
  area: 'jobs',
  summary: "Follow an execution's events",
  description:
    "Goes on after `Last-Event-ID` (or `after`), on any API process, during the run and for an hour after it; later only the terminal event is left. Counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`).",
  needs: 'read',
  params,
  query: eventsQuery,
  answer: execution,
  streams: true,
  headers: { 'Last-Event-ID': '`id` of the last event that you have; browsers send it by themselves.' },
  handle: async ({ params, query, owner, services, context, request }) => {
    const after = lastEventId(request.headers['last-event-id']) ?? query.after ?? 0;
    const record = await services.database.executions.get(owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    await holdPlace(context, 'streams');
    context.executionId = record.id;
    forgetInput(record);
    const reader = await services.hub.open(record.id, after);
    await streamEvents(context, record, reader, after);
    return undefined;
  },
});

export const cancelJob = defineRoute({
  method: 'post',
  path: '/jobs/:job_id/cancel',
  area: 'jobs',
  summary: 'Cancel an execution',
  description:
    'A queued one ends at once; a running one is `cancelling` until its worker confirms. What has ended stays as it is. Editors cancel what they run, admins all.',
  needs: 'run',
  params,
  answer: execution,
  handle: async ({ params, owner, role, services, context }) => {
    const found = await services.database.executions.get(owner, params.job_id);
    if (found === null) throw unknownRecord('job');
    if (!mayChange(role, owner, found.owner)) {
      throw new ChorusError('role_forbidden', 'Another member runs this; an admin can cancel it.');
    }
    const record = await services.dispatcher.cancel(owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    return present(context, record);
  },
});

const retryBody = z.strictObject({
  stream: z.boolean().default(false),
  webhook_url: webhookUrl.optional().describe('Told of the end; absent: where that of the old one was to be told'),
});

export const retryJob = defineRoute({
  method: 'post',
  path: '/jobs/:job_id/retry',
  area: 'jobs',
  summary: 'Run a failed or cancelled execution again',
  executes: true,
  description:
    'Makes a new execution with `retry_of`; the old one stays as it is. Requests that come while a retry of it runs get that one; once it has ended, the next request begins another.',
  needs: 'run',
  params,
  body: retryBody,
  answer: execution,
  streams: true,
  headers: { Prefer: '`respond-async` or `wait=<s>`, as for every execution.' },
  handle: async ({ params, body, owner, services, context }) => {
    const record = await services.database.executions.get(owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    if (record.status !== 'failed' && record.status !== 'cancelled') {
      throw new ChorusError(
        'job_not_retryable',
        `Only what failed or was cancelled can be retried; this is ${record.status}.`,
      );
    }
    return retryOnce(context, record.id, body.stream, async (id) => {
      const work = await repeatedWork(services, owner, record);
      return runWork(context, work, { ...body, metadata: record.metadata }, { again: record, id });
    });
  },
});

const deleteQuery = z.strictObject({
  assets: queryFlag
    .default(false)
    .describe('Also deletes the assets that it made, and the recording it was asked with.'),
});

export const deleteJob = defineRoute({
  method: 'delete',
  path: '/jobs/:job_id',
  area: 'jobs',
  summary: 'Delete an execution that has ended',
  description:
    'With its output, its events and what it was asked; the usage totals keep what it used. The messages of a session stay, and so do its assets unless `assets=true`. ' +
    'One that has not ended is answered 409 `job_running`: cancel it first. Editors delete what they ran, admins all.',
  needs: 'write',
  params,
  query: deleteQuery,
  answer: deletion,
  refuses: ['job_running'],
  handle: async ({ params, query, actor, owner, role, services }) => {
    const { database, deletions, accounts } = services;
    const asked = { kind: 'execution', id: params.job_id, owner, assets: query.assets } as const;
    const recording_ids = query.assets ? await recordingsOf(services, owner, params.job_id) : [];
    await deletions.carryOut({ ...asked, recording_ids }, async () => {
      const record = await deletableExecution(database, { owner, role }, params.job_id);
      await deleteExecution(database, accounts.audit, actor, record);
    });
    return { id: params.job_id, object: 'execution', deleted: true };
  },
});

async function recordingsOf({ database }: Services, owner: Owner, id: string): Promise<string[]> {
  const record = await database.executions.get(owner, id);
  return record === null ? [] : recordingOf(record);
}

function lastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined || header === '') return null;
  const value = String(header);
  if (!/^\d{1,15}$/.test(value)) {
    throw new ChorusError('invalid_request', 'Last-Event-ID is not an event id of ours.', {
      details: [{ path: 'headers.last-event-id', message: 'must be the `id` of an event: a whole number' }],
    });
  }
  return Number(value);
}
