import { randomUUID } from 'node:crypto';
import { isAnthropicPath, requestIdOf } from '@chorus/contract';
import type { Request, RequestHandler, Response } from 'express';
import type { Services } from '../services.ts';
import { discardBody } from './pace-body.ts';
import { RequestContext, setContext } from './request-context.ts';
import { endRequestSpan } from './request-span.ts';

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-ID',
  'Request-ID',
  'Retry-After',
  'X-Ignored-Fields',
  'X-Warnings',
  'X-Should-Retry',
  'X-Execution-ID',
  'X-Session-ID',
  'Mcp-Session-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Preference-Applied',
  'ETag',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'Sunset',
].join(', ');

const ALLOWED_HEADERS = [
  'Authorization',
  'X-API-Key',
  'Content-Type',
  'X-Scope-Type',
  'X-Workspace-ID',
  'X-Agent-ID',
  'X-Request-ID',
  'Prefer',
  'Last-Event-ID',
  'Idempotency-Key',
  'If-Match',
  'Mcp-Session-Id',
  'Mcp-Protocol-Version',
].join(', ');

const FEATURES = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'] as const;

/** Builds the `Permissions-Policy` header. Only the named features are allowed, for our own origin. */
export function permissionsPolicy(allowed: readonly (typeof FEATURES)[number][]): string {
  return FEATURES.map((feature) => `${feature}=(${allowed.includes(feature) ? 'self' : ''})`).join(', ');
}

/** Sent with every response: no type sniffing, caching, scripts, framing or shared windows. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-store'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Permissions-Policy', permissionsPolicy([])],
];

/** Starts every request: request id, default headers, CORS, and at the end the log line and metrics. */
export function beginRequest(services: Services): RequestHandler {
  const origins = new Set(services.config.http.corsOrigins);
  const anyOrigin = origins.has('*');
  return (request, response, next) => {
    const requestId = requestIdOf(request.headers['x-request-id']) ?? randomUUID();
    const context = new RequestContext(request, response, services, requestId);
    setContext(response, context);
    response.setHeader('X-Request-ID', requestId);
    if (isAnthropicPath(request.path)) response.setHeader('Request-ID', requestId);
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    if (isSecure(request)) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
    if (services.streams.stopping) response.setHeader('Connection', 'close');
    response.on('close', () => endRequest(context));
    // Run before the response is flushed, when Node starts to drop the rest of the body at full speed.
    response.on('prefinish', () => {
      if (!request.complete) discardBody(request);
    });

    if (origins.size > 0) {
      const { origin } = request.headers;
      if (!anyOrigin) response.appendHeader('Vary', 'Origin');
      if (origin !== undefined && (anyOrigin || origins.has(origin))) {
        response.setHeader('Access-Control-Allow-Origin', anyOrigin ? '*' : origin);
        response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
        if (isPreflight(request)) return answerPreflight(request, response);
      }
    }
    next();
  };
}

/** Like `request.secure`, but without looking up the peer's address when there is no proxy header. */
function isSecure(request: Request): boolean {
  const { headers, socket } = request;
  return ('encrypted' in socket || headers['x-forwarded-proto'] !== undefined) && request.secure;
}

function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

function answerPreflight(request: Request, response: Response): void {
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PATCH, DELETE');
  // Clients send custom headers such as OpenAI's `x-stainless-…`. Allowing all is safe, since CORS requests
  // carry no cookies.
  const asked = request.headers['access-control-request-headers'];
  response.setHeader('Access-Control-Allow-Headers', asked ?? ALLOWED_HEADERS);
  response.setHeader('Access-Control-Max-Age', '7200');
  response.statusCode = 204;
  response.end();
}

function endRequest(context: RequestContext): void {
  const { request, response, services, route } = context;
  const durationMs = performance.now() - context.startedAt;
  endRequestSpan(context);
  services.metrics.countRequest(request.method, route ?? 'unknown', response.statusCode, durationMs / 1_000);
  if (context.tool !== null) services.metrics.countToolCall(context.tool, context.errorCode ?? 'ok');
  // Probes and scrapes would flood the log.
  const level =
    (route !== null && /^\/(api|openai|anthropic|mcp)(\/|$)/.test(route)) || response.statusCode >= 400
      ? 'info'
      : 'debug';
  if (!services.log.isLevelEnabled(level)) return;
  services.log[level](
    {
      request_id: context.requestId,
      method: request.method,
      route,
      status: response.statusCode,
      duration_ms: Math.round(durationMs * 10) / 10,
      user_id: context.credential?.user.id,
      key_id: context.credential?.key?.id,
      scope: context.owner?.workspace_id ?? context.owner?.scope,
      tool: context.tool ?? undefined,
      execution_id: context.executionId ?? undefined,
      error: context.errorCode ?? undefined,
      cut_off: response.writableFinished ? undefined : true,
    },
    'request',
  );
}
