import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Route } from '../define-route.ts';
import { isOnce } from '../http/handle-once.ts';

/** The headers of a scope, documented once and referred to by each route. */
export const SCOPE_HEADERS = {
  ScopeType: {
    name: 'X-Scope-Type',
    in: 'header' as const,
    required: true,
    description: 'In which scope the request runs.',
    schema: { type: 'string' as const, enum: ['personal', 'workspace'], default: 'personal' },
  },
  WorkspaceId: {
    name: 'X-Workspace-ID',
    in: 'header' as const,
    required: false,
    description: 'The workspace; required with `X-Scope-Type: workspace`, refused with `personal`.',
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
      'Up to 255 visible characters: within a day the same request under the same key is done once. It gets the first answer again, or joins the execution.',
    schema: { type: 'string' as const, maxLength: 255 },
  },
  RequestId: {
    name: 'X-Request-ID',
    in: 'header' as const,
    required: false,
    description: 'Your own id of the request, up to 128 visible characters; it comes back and stands in our logs.',
    schema: { type: 'string' as const, maxLength: 128 },
  },
};

/** The header parameters of a route: those of its scope, and its own. */
export function headerParameters(route: Route): NonNullable<ZodOpenApiOperationObject['parameters']> {
  const own = Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header' as const,
    required: false,
    description,
    schema: { type: 'string' as const },
  }));
  if (route.at === 'root') return own;
  const shared: (keyof typeof SCOPE_HEADERS)[] =
    route.needs === 'none' ? ['RequestId'] : ['ScopeType', 'WorkspaceId', 'AgentId', 'RequestId'];
  if (isOnce(route)) shared.push('IdempotencyKey');
  return [...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })), ...own];
}
