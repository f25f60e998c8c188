import { type BatchBody, type BatchKind, ChorusError, isJobKind, type JobKind } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { Work } from '@chorus/executions';
import type { ItemRequester, JobPlan, JobServices, Requester } from './define-plan.ts';
import * as plans from './plans.ts';

export { chatTurn, repeatedTurn } from './chat-completion.ts';
export type { ItemRequester, JobPlan, JobRequest, JobServices, Requester } from './define-plan.ts';
export type { IngestionRequest } from './knowledge-ingest.ts';
export { checkAddress } from './requested-files.ts';
export { inputItems, isStoredResponse, storedInput } from './response-conversation.ts';
export {
  agentOf,
  spokenTurn,
  type TurnSettings,
  turnKnowledge,
  turnSettings,
  withAgentTools,
} from './turn-settings.ts';

/** The plans of all kinds. Omitting a kind is a compile error. */
export const JOB_PLANS: typeof plans & { [K in JobKind]: JobPlan<K, never> } = plans;

/** Plans a batch item like a request of its kind. */
export async function planBatchItem<K extends BatchKind>(
  kind: K,
  request: BatchBody<K>,
  requester: ItemRequester,
  services: JobServices,
): Promise<Work<K>> {
  const { plan, planItem = plan } = JOB_PLANS[kind] as unknown as JobPlan<K, BatchBody<K>>;
  return planItem(request, requester, services);
}

/**
 * Plans an execution's work again, for a new execution.
 * @throws {ChorusError} `job_not_retryable` if the kind no longer exists, or a later execution replaced it;
 * `not_found` if its records no longer exist
 */
export async function repeatWork(record: ExecutionRecord, requester: Requester, services: JobServices): Promise<Work> {
  if (!isJobKind(record.kind))
    throw new ChorusError('job_not_retryable', 'This platform no longer supports this kind of job.');
  return JOB_PLANS[record.kind].repeat(record, requester, services) as Promise<Work>;
}
