import { checkRate, networkOf, rateLimitHeaders } from '@chorus/accounts';
import type { RequestContext } from './request-context.ts';

/**
 * Counts a request that needs no login against its address, before its body is read.
 *
 * @throws {ChorusError} rate_limited
 */
export async function limitAddress({ request, response, services }: RequestContext): Promise<void> {
  const subject = { id: `address:${networkOf(request.ip ?? '')}`, limit: null };
  const decision = await services.rateLimits.take(subject, 'anonymous');
  if (decision === null) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(decision.limits))) response.setHeader(name, value);
  checkRate(decision);
}
