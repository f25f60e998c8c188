import { checkRate, networkOf, type RateClass, rateLimitHeaders, rateSubjectOf } from '@chorus/accounts';
import type { Route } from '../define-route.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Counts an authenticated request, and sets the rate limit headers.
 * @throws {ChorusError} rate_limited
 */
export async function limitRate(route: Route, { credential, services, response }: RequestContext): Promise<void> {
  if (credential === null) return;
  const decision = await services.rateLimits.take(rateSubjectOf(credential), classOf(route));
  if (decision === null) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(decision.limits))) response.setHeader(name, value);
  checkRate(decision);
}

function classOf(route: Route): RateClass {
  if (route.rateClass) return route.rateClass;
  if (route.executes) return 'executions';
  return route.method === 'get' ? 'reads' : 'writes';
}

/**
 * Counts an anonymous request against its address, before its body is read.
 * @throws {ChorusError} rate_limited
 */
export async function limitAddress({ request, response, services }: RequestContext): Promise<void> {
  const subject = { id: `address:${networkOf(request.ip ?? '')}`, limit: null };
  const decision = await services.rateLimits.take(subject, 'anonymous');
  if (decision === null) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(decision.limits))) response.setHeader(name, value);
  checkRate(decision);
}
