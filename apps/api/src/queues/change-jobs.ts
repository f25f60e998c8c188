import {
  type Actor,
  type AuditAction,
  ChorusError,
  isTerminal,
  newId,
  type QueueJobsRetried,
  scopeKey,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { repeatWork } from '@chorus/jobs';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

interface Operator {
  services: Services;
  actor: Actor;
  requestId: string;
}

type Retried = QueueJobsRetried['data'][number];

/** Retries failed jobs on behalf of their users. Jobs that cannot be retried stay as they are. */
export async function retryJobs(operator: Operator, ids: readonly string[]): Promise<Retried[]> {
  const results: Retried[] = [];
  // One after another: the platform's limits apply to each.
  for (const id of new Set(ids))
    results.push(
      await attempt(id, async () => ({ retried_as: await retryJob(operator, await readJob(operator, id)) }), {
        retried_as: null,
      }),
    );
  return results;
}

/** Cancels jobs of any users. Jobs that have ended stay as they are. */
export async function cancelJobs(operator: Operator, ids: readonly string[]) {
  const cancel = async (id: string) => {
    const job = await readJob(operator, id);
    if (isTerminal(job.status)) return { status: job.status };
    const record = await operator.services.dispatcher.cancel(job.owner, id);
    if (record === null) throw unknownRecord('job');
    await note(operator, 'execution.cancelled_by_operator', job);
    return { status: record.status };
  };
  return Promise.all([...new Set(ids)].map((id) => attempt(id, () => cancel(id), { status: null })));
}

async function retryJob({ services, actor, requestId }: Operator, job: ExecutionRecord): Promise<string> {
  const { id, owner, status, metadata, webhook_url: webhookUrl, api_key_id: apiKeyId } = job;
  if (status !== 'failed')
    throw new ChorusError('job_not_retryable', `Only failed executions can be retried; this one is ${status}.`);
  const { database, dispatcher } = services;
  const claim = { id: newId('job'), at: new Date() };
  if (!(await database.executions.claimRetry(owner, id, null, claim)))
    throw new ChorusError('job_not_retryable', 'This execution was retried already.');
  try {
    const work = await repeatWork(job, { owner, agent: null, apiKeyId, requestId, path: 'body' }, services);
    const of = { owner, metadata, webhookUrl, apiKeyId, requestId };
    await dispatcher.dispatch({ ...work, ...of, id: claim.id, retryOf: id, follow: false });
  } catch (error) {
    // A stored retry counts.
    const isStored = await database.executions.get(owner, claim.id).then(Boolean, () => true);
    if (!isStored) await database.executions.releaseRetry(owner, id, claim).catch(() => undefined);
    throw error;
  }
  await note({ services, actor }, 'execution.retried_by_operator', job);
  return claim.id;
}

async function readJob({ services }: Operator, id: string): Promise<ExecutionRecord> {
  const job = await services.database.executions.getForOperators(id);
  if (job === null) throw unknownRecord('job');
  return job;
}

async function attempt<Result, Unchanged>(
  id: string,
  change: () => Promise<Result>,
  unchanged: Unchanged,
): Promise<(Result | Unchanged) & { id: string; error: { code: string; message: string } | null }> {
  try {
    return { id, ...(await change()), error: null };
  } catch (error) {
    if (!(error instanceof ChorusError) || error.code === 'store_unavailable') throw error;
    return { id, ...unchanged, error: { code: error.code, message: error.message } };
  }
}

/** The members of the job's scope see who did it. */
async function note(
  { services, actor }: Pick<Operator, 'services' | 'actor'>,
  action: AuditAction,
  { id, owner, kind }: ExecutionRecord,
): Promise<void> {
  const target = { type: 'execution', id };
  await services.accounts.audit.record(actor, { scope_key: scopeKey(owner), action, target, details: { kind } });
}
