import {
  listOf,
  queueJob,
  queueJobIds,
  queueJobsCancelled,
  queueJobsQuery,
  queueJobsRetried,
  queueReport,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { cancelJobs, retryJobs } from '../queues/change-jobs.ts';
import { listQueueJobs, readQueues } from '../queues/read-queues.ts';

export const getQueues = defineRoute({
  method: 'get',
  path: '/queues',
  area: 'operations',
  summary: 'Get the state of the queues',
  description:
    'What waits, runs, and has failed in each pool, and how many jobs ended in each minute of the last hour. For operators; API keys need `operator`, as for all of `/queues`.',
  needs: 'operate',
  answer: queueReport,
  handle: ({ services }) => readQueues(services),
});

export const listJobsOfQueues = defineRoute({
  method: 'get',
  path: '/queues/jobs',
  area: 'operations',
  summary: 'List failed or unfinished executions of all users',
  description:
    'Without their content. Failed ones are listed until they are retried or deleted; a batch retries its own items.',
  needs: 'operate',
  query: queueJobsQuery,
  answer: listOf(queueJob),
  handle: async ({ query, services }) => ({ object: 'list', ...(await listQueueJobs(services, query)) }),
});

export const retryJobsOfQueues = defineRoute({
  method: 'post',
  path: '/queues/jobs/retry',
  area: 'operations',
  summary: 'Retry failed executions of any users',
  description:
    'Each becomes a new execution of its user, with the same webhook, and counts against the same limits and budgets. The audit log of its scope notes who retried it.',
  needs: 'operate',
  body: queueJobIds,
  answer: queueJobsRetried,
  handle: async ({ body, actor, services, requestId }) => {
    const data = await retryJobs({ services, actor, requestId }, body.ids);
    return { object: 'queue_jobs.retried', data };
  },
});

export const cancelJobsOfQueues = defineRoute({
  method: 'post',
  path: '/queues/jobs/cancel',
  area: 'operations',
  summary: 'Cancel executions of any users',
  description:
    'Queued ones end at once. Running ones are `cancelling` until their worker confirms. The audit log of the scope notes who cancelled them.',
  needs: 'operate',
  body: queueJobIds,
  answer: queueJobsCancelled,
  handle: async ({ body, actor, services, requestId }) => {
    const data = await cancelJobs({ services, actor, requestId }, body.ids);
    return { object: 'queue_jobs.cancelled', data };
  },
});
