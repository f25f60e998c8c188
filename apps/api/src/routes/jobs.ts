import {
  ChorusError,
  deletion,
  execution,
  job,
  jobsQuery,
  listOf,
  mayChange,
  type Owner,
  queryFlag,
  toolDecision,
  webhookUrl,
} from '@chorus/contract';
import { deletableExecution, deleteExecution } from '@chorus/executions';
import { repeatWork } from '@chorus/jobs';
import { decideCall, recordingOf } from '@chorus/queue';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { joinExecution, requesterOf, runWork } from '../executes.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { subjectsOf } from '../job-subjects.ts';
import { latestRecord } from '../latest-record.ts';
import { listJobRecords } from '../list-jobs.ts';
import { presentExecutions, presentOne } from '../present.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { dropInput } from '../responses/openai-style.ts';
import { retryOnce } from '../responses/retry-once.ts';
import { streamEvents } from '../responses/stream.ts';
import type { Services } from '../services.ts';

const params = { job_id: 'job' } as const;

export const listJobs = defineRoute({
  method: 'get',
  path: '/jobs',
  area: 'jobs',
  summary: 'List executions',
  description:
    'Newest first, without those of temporary sessions. Among very many of these, a page may have fewer than `limit`.',
  needs: 'read',
  query: jobsQuery,
  answer: listOf(job),
  handle: async ({ query, owner, services, context }) => {
    const page = await listJobRecords(services, owner, query);
    const subjects = await subjectsOf(services, owner, page.data);
    const shown = await presentExecutions(context, page.data);
    const data = shown.map((one) => ({ ...one, subject: subjects.get(one.id) ?? null }));
    return { object: 'list', ...page, data };
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
    const record = await latestRecord(services, owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    return presentOne(context, record);
  },
});

const eventsQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The `seq` of the last event you received.'),
});

export const streamJobEvents = defineRoute({
  method: 'get',
  path: '/jobs/:job_id/events',
  area: 'jobs',
  summary: "Follow an execution's events",
  description:
    "Resumes after `Last-Event-ID` (or `after`), on any API process, while the execution runs and for an hour after. Later, only the terminal event is left. Counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`).",
  needs: 'read',
  params,
  query: eventsQuery,
  answer: execution,
  streams: true,
  headers: { 'Last-Event-ID': 'The `seq` of the last event you received. Browsers send it automatically.' },
  handle: async ({ params, query, owner, services, context, request }) => {
    const after = lastEventId(request.headers['last-event-id']) ?? query.after ?? 0;
    const record = await services.database.executions.get(owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    await holdPlace(context, 'streams');
    context.executionId = record.id;
    dropInput(record);
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
    'A queued execution, and one that waits for decisions, ends at once. A running one is `cancelling` until its worker confirms. A finished one stays as it is. Editors can cancel their own executions, admins all.',
  needs: 'run',
  params,
  answer: execution,
  handle: async ({ params, owner, role, services, context }) => {
    const found = await services.database.executions.get(owner, params.job_id);
    if (found === null) throw unknownRecord('job');
    if (!mayChange(role, owner, found.owner)) {
      throw new ChorusError('role_forbidden', 'Another member runs this execution; an admin can cancel it.');
    }
    const record = await services.dispatcher.cancel(owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    return presentOne(context, record);
  },
});

export const decideToolCall = defineRoute({
  method: 'post',
  path: '/jobs/:job_id/actions',
  area: 'jobs',
  summary: 'Approve or deny a tool call',
  description:
    'For executions with status `requires_action`; `required_action` lists the calls. The execution continues once all of them are decided. ' +
    'The model sees the reason of a denial. The same decision may be repeated; another one is 409 `already_decided`. ' +
    'Editors can decide for their own executions, admins for all.',
  needs: 'run',
  params,
  body: toolDecision,
  answer: execution,
  refuses: ['already_decided'],
  handle: async ({ params, body, actor, owner, role, services, context }) => {
    const { database, dispatcher, accounts } = services;
    const parts = { database, dispatcher, actor, audit: accounts.audit };
    return presentOne(context, await decideCall(parts, { owner, role }, params.job_id, body));
  },
});

const retryBody = z.strictObject({
  stream: z.boolean().default(false),
  webhook_url: webhookUrl
    .optional()
    .describe('Receives a webhook at the end. Default: the webhook of the original execution'),
});

export const retryJob = defineRoute({
  method: 'post',
  path: '/jobs/:job_id/retry',
  area: 'jobs',
  summary: 'Retry a failed or cancelled execution',
  executes: joinExecution,
  description:
    'Creates a new execution with `retry_of`; the original stays as it is. While a retry runs, further requests get that one. After it has ended, the next request starts another.',
  needs: 'run',
  params,
  body: retryBody,
  answer: execution,
  streams: true,
  headers: { Prefer: '`respond-async` or `wait=<s>`, as for any execution.' },
  handle: async ({ params, body, owner, services, context }) => {
    const record = await services.database.executions.get(owner, params.job_id);
    if (record === null) throw unknownRecord('job');
    if (record.status !== 'failed' && record.status !== 'cancelled') {
      throw new ChorusError(
        'job_not_retryable',
        `Only failed or cancelled executions can be retried; this one is ${record.status}.`,
      );
    }
    return retryOnce(context, record.id, body.stream, async (id) => {
      const work = await repeatWork(record, requesterOf(context), services);
      return runWork(context, work, { ...body, metadata: record.metadata }, { again: record, id });
    });
  },
});

const deleteQuery = z.strictObject({
  assets: queryFlag.default(false).describe('Also deletes the assets it generated, and the recording it was given.'),
});

export const deleteJob = defineRoute({
  method: 'delete',
  path: '/jobs/:job_id',
  area: 'jobs',
  summary: 'Delete a finished execution',
  description:
    'With its input, output and events; usage totals are kept. Messages of a session remain, and so do generated assets unless `assets=true`. ' +
    'A running execution is 409 `job_running`: cancel it first. Editors can delete their own executions, admins all.',
  needs: 'write',
  params,
  query: deleteQuery,
  answer: deletion,
  refuses: ['job_running'],
  handle: async ({ params, query, actor, owner, role, services }) => {
    const { database, deletions, accounts } = services;
    const asked = { kind: 'execution', id: params.job_id, owner, assets: query.assets } as const;
    const asset_ids = query.assets ? await recordingsOf(services, owner, params.job_id) : [];
    await deletions.carryOut({ ...asked, asset_ids }, async () => {
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
    throw new ChorusError('invalid_request', 'Last-Event-ID is not an id of this stream.', {
      details: [{ path: 'headers.last-event-id', message: "must be an event's `id`: a whole number" }],
    });
  }
  return Number(value);
}
