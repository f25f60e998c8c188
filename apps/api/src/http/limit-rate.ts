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
export function limitAddress(context: RequestContext): Promise<void> {
  return limitAnonymous(context, `address:${networkOf(context.request.ip ?? '')}`);
}

/**
 * Counts a page that is opened without a login. Separate from logins, since a page of any site can make a browser
 * open it.
 * @throws {ChorusError} rate_limited
 */
export function limitPages(context: RequestContext): Promise<void> {
  return limitAnonymous(context, `pages:${networkOf(context.request.ip ?? '')}`);
}

/**
 * Counts a request with a token of a login, apart from those without one.
 * @throws {ChorusError} rate_limited
 */
export function limitLogin(context: RequestContext, loginId: string): Promise<void> {
  return limitAnonymous(context, `login:${loginId}`);
}

async function limitAnonymous({ response, services }: RequestContext, id: string): Promise<void> {
  const decision = await services.rateLimits.take({ id, limit: null }, 'anonymous');
  if (decision === null) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(decision.limits))) response.setHeader(name, value);
  checkRate(decision);
}
