import type { Area, Route } from '../define-route.ts';
import { joinExecution } from '../delivery/join-execution.ts';
import { fingerprintOf, once, readIdempotencyKey } from './idempotency.ts';
import type { RequestContext, ScopedContext } from './request-context.ts';

/** Their answers hold secrets that are shown once, or change who may ask. */
const NEVER_KEPT: readonly Area[] = ['auth', 'keys'];

/** Whether a route heeds `Idempotency-Key`. */
export function isOnce(route: Route): boolean {
  return route.method === 'post' && route.needs !== 'none' && !NEVER_KEPT.includes(route.area) && !route.secret;
}

/**
 * Runs a route's handler; with an `Idempotency-Key` only if no request with that key has run it.
 *
 * @param renew makes an answer that was kept good again
 */
export function handleOnce(
  route: Route,
  context: RequestContext,
  body: unknown,
  handle: () => Promise<unknown>,
  renew?: (answer: unknown) => Promise<unknown>,
): Promise<unknown> {
  const key = isOnce(route) ? readIdempotencyKey(context.request) : null;
  if (key === null) return handle();
  const scoped = context as ScopedContext;
  const { method, originalUrl: url } = context.request;
  return once({
    database: context.services.database,
    owner: scoped.owner,
    key,
    fingerprint: fingerprintOf({ method, url }, body),
    run: (executionId) => {
      context.plannedExecutionId = executionId;
      return handle();
    },
    keep: (answer) => (answer === undefined ? context.answerToKeep : (route.keep?.(answer) ?? answer)),
    renew,
    join: route.executes ? (executionId) => joinExecution(scoped, executionId, streamOf(body)) : undefined,
  });
}

function streamOf(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}
