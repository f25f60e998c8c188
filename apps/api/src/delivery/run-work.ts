import type { JobKind } from '@chorus/contract';
import type { DispatchRequest } from '@chorus/queue';
import type { ScopedContext } from '../http/request-context.ts';
import { deliver, follows } from './deliver.ts';
import { holdPlace } from './hold-place.ts';
import { readPreference } from './prefer.ts';
import { webhookOf } from './webhook-of.ts';

/** The header by which every executing route is told how to answer, for its documentation. */
export const PREFER =
  '`respond-async`: the queued execution at once. `wait=<s>`: how long the answer waits for the end, 0 to 300, default 60.';

/** What runs, without what follows from the request that asks for it. */
export type Work<K extends JobKind = JobKind> = Pick<
  DispatchRequest<K>,
  'kind' | 'model' | 'prepare' | 'check' | 'abandon'
>;

export interface WorkRequest {
  stream?: boolean | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  webhook_url?: string | null | undefined;
}

export interface RunOptions {
  /** Whether the answer is the sound of a voice turn. */
  sound?: boolean;
  /** The execution that this one repeats; its webhook is used unless the request names one. */
  again?: { id: string; webhook_url: string | null };
  /** The id that the execution gets; absent: the one planned for the request, or a new one. */
  id?: string | undefined;
}

/**
 * Runs work for a request, and answers the way the caller chose.
 */
export async function runWork<K extends JobKind>(
  context: ScopedContext,
  work: Work<K>,
  request: WorkRequest,
  { sound = false, again, id = context.plannedExecutionId }: RunOptions = {},
): Promise<undefined> {
  const { services, owner, requestId } = context;
  const preference = readPreference(context.request.headers.prefer);
  const options = { stream: request.stream ?? false, sound, preference };
  const follow = follows(options);
  // Checked before a place is taken: what is refused here must leave no promise behind.
  const webhookUrl = webhookOf(services, request) ?? again?.webhook_url ?? null;
  const dispatched = await services.dispatcher.dispatch({
    ...work,
    ...(follow && { admitted: holdPlace(context, 'waits') }),
    id,
    apiKeyId: context.credential.key?.id ?? null,
    owner,
    requestId,
    metadata: request.metadata ?? {},
    webhookUrl,
    retryOf: again?.id ?? null,
    follow,
  });
  return deliver(context, dispatched, options);
}
