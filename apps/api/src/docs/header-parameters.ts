import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { isScopedByCredential, type Route } from '../define-route.ts';
import { supportsIdempotency } from '../http/idempotency.ts';

/** The scope headers, documented once and referenced by each route. */
export const SCOPE_HEADERS = {
  ScopeType: {
    name: 'X-Scope-Type',
    in: 'header' as const,
    required: true,
    description: 'The scope of the request.',
    schema: { type: 'string' as const, enum: ['personal', 'workspace'], default: 'personal' },
  },
  OptionalScopeType: {
    name: 'X-Scope-Type',
    in: 'header' as const,
    required: false,
    description: 'Must be the scope of the API key. Default: that scope, or personal scope for an access token.',
    schema: { type: 'string' as const, enum: ['personal', 'workspace'] },
  },
  WorkspaceId: {
    name: 'X-Workspace-ID',
    in: 'header' as const,
    required: false,
    description: 'The workspace. Required with `X-Scope-Type: workspace`, not allowed with `personal`.',
    schema: { type: 'string' as const, format: 'uuid' },
  },
  AgentId: {
    name: 'X-Agent-ID',
    in: 'header' as const,
    required: false,
    description: 'An agent of the same scope.',
    schema: { type: 'string' as const },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header' as const,
    required: false,
    description:
      'Up to 255 visible ASCII characters. For a day, requests with the same key run once: repeats get the first response, or join its execution.',
    schema: { type: 'string' as const, maxLength: 255 },
  },
  RequestId: {
    name: 'X-Request-ID',
    in: 'header' as const,
    required: false,
    description:
      'Your id for this request, up to 128 visible ASCII characters. It is returned in the response and logged.',
    schema: { type: 'string' as const, maxLength: 128 },
  },
};

/** Returns a route's header parameters: those of its scope, and its own. */
export function headerParameters(route: Route): NonNullable<ZodOpenApiOperationObject['parameters']> {
  const own = Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header' as const,
    required: false,
    description,
    schema: { type: 'string' as const },
  }));
  if (route.at === 'root') return own;
  const scopeType = isScopedByCredential(route) ? 'OptionalScopeType' : 'ScopeType';
  const shared: (keyof typeof SCOPE_HEADERS)[] =
    route.needs === 'none' ? ['RequestId'] : [scopeType, 'WorkspaceId', 'AgentId', 'RequestId'];
  if (supportsIdempotency(route)) shared.push('IdempotencyKey');
  return [...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })), ...own];
}
