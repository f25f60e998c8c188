import { currentSpan, type Span, startSpan, TRACEPARENT } from '@chorus/runtime/tracing';
import type { Request } from 'express';
import type { RequestContext } from './request-context.ts';

/** Paths of work. Probes, scrapes, and files of the console are not traced. */
const TRACED = /^\/(api|openai|mcp)(\/|$)/;

/** Starts the step of a request, which continues a trace of its client. */
export function startRequestSpan({ method, path, headers }: Request): Span {
  if (!TRACED.test(path)) return currentSpan();
  const given = headers.traceparent;
  const parent = typeof given === 'string' && TRACEPARENT.test(given) ? given : null;
  return startSpan(method, { kind: 'server', parent, attributes: { 'http.request.method': method } });
}

export function endRequestSpan({ span, request, response, route, requestId, executionId, errorCode }: RequestContext) {
  if (span.traceparent === null) return;
  if (route !== null) span.rename(`${request.method} ${route}`);
  span.set({
    'http.route': route ?? undefined,
    'http.response.status_code': response.statusCode,
    'chorus.request.id': requestId,
    'chorus.execution.id': executionId ?? undefined,
  });
  if (response.statusCode >= 500) span.fail(errorCode ?? String(response.statusCode));
  span.end();
}
