import { runInSpan, type Span, startSpan, TRACEPARENT } from '@chorus/runtime/tracing';
import type { RequestContext } from './request-context.ts';

/** Paths of work. Probes, scrapes, and files of the console are not traced. */
const TRACED = /^\/(api|openai|mcp)(\/|$)/;

/** Serves an authenticated request in a span that continues its client's trace. */
export function runInRequestSpan(context: RequestContext, next: () => void): void {
  const span = startRequestSpan(context, true);
  if (span === null) next();
  else {
    context.span = span;
    runInSpan(span, next);
  }
}

/** @param isTrusted whether the client may choose the trace of the request, and whether it is recorded */
function startRequestSpan({ request, startedAt }: RequestContext, isTrusted: boolean): Span | null {
  const { method, originalUrl, headers } = request;
  if (!TRACED.test(originalUrl.split('?', 1)[0] as string)) return null;
  const { traceparent } = headers;
  const given = typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : null;
  return startSpan(method, {
    kind: 'server',
    parent: isTrusted ? given : null,
    link: isTrusted ? null : given,
    startedAt: performance.timeOrigin + startedAt,
    attributes: { 'http.request.method': method },
  });
}

export function endRequestSpan(context: RequestContext): void {
  const { request, response, route, requestId, executionId, errorCode } = context;
  // Requests without a valid credential have no child spans, so theirs can start late.
  const span = context.span.traceparent === null ? startRequestSpan(context, false) : context.span;
  if (span === null || span.traceparent === null) return;
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
