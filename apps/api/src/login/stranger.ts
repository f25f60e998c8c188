import type { Stranger } from '@chorus/accounts';
import type { OpenCall } from '../define-route.ts';

/** Who logs in, as far as their request tells. */
export function strangerOf({
  actor,
  request,
}: Pick<OpenCall<unknown, unknown, unknown>, 'actor' | 'request' | 'services'>): Stranger {
  return { address: actor.address, request_id: actor.request_id, user_agent: request.headers['user-agent'] ?? null };
}
