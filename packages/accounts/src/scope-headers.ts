import type { IncomingHttpHeaders } from 'node:http';
import { ChorusError, isId, isUuid } from '@chorus/contract';
import type { Credential } from './credential.ts';

export interface ScopeHeaders {
  scopeType: string | undefined;
  workspaceId: string | undefined;
}

export function scopeHeaders(headers: IncomingHttpHeaders): ScopeHeaders {
  return { scopeType: single(headers['x-scope-type']), workspaceId: single(headers['x-workspace-id']) };
}

/** Node joins repeated headers with commas, so this is never a list. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Validates the form of optional scope headers from an unauthenticated caller.
 * @throws {ChorusError} invalid_scope
 */
export function checkScopeForm({ scopeType, workspaceId }: ScopeHeaders): void {
  if (scopeType === undefined && workspaceId === undefined) return;
  if (scopeType !== 'personal' && scopeType !== 'workspace') {
    throw invalidScope('x-scope-type', 'must be personal or workspace');
  }
  if (scopeType === 'personal' && workspaceId !== undefined) {
    throw invalidScope('x-workspace-id', 'must not be sent with X-Scope-Type: personal');
  }
  if (scopeType === 'workspace' && (workspaceId === undefined || !isUuid(workspaceId))) {
    throw invalidScope('x-workspace-id', 'must be the UUID of a workspace');
  }
}

/**
 * Fills in scope headers from the credential: the scope of the API key, or personal scope for a login without headers.
 * @throws {ChorusError} invalid_scope for headers that do not match the API key
 */
export function credentialScope(
  { key }: Pick<Credential, 'key'>,
  { scopeType, workspaceId }: ScopeHeaders,
): ScopeHeaders {
  if (key === null) {
    const named = workspaceId === undefined ? 'personal' : 'workspace';
    return { scopeType: scopeType ?? named, workspaceId };
  }
  const own = {
    scopeType: key.workspace_id === null ? 'personal' : 'workspace',
    workspaceId: key.workspace_id ?? undefined,
  };
  if (scopeType !== undefined && scopeType !== own.scopeType)
    throw invalidScope('x-scope-type', `must be ${own.scopeType}, the scope of the API key, or absent`);
  if (workspaceId !== undefined && workspaceId.toLowerCase() !== own.workspaceId)
    throw invalidScope('x-workspace-id', "must be the API key's workspace, or absent");
  return own;
}

function invalidScope(header: string, message: string): ChorusError {
  return new ChorusError('invalid_scope', `${header}: ${message}`, {
    details: [{ path: `headers.${header}`, message }],
  });
}

/**
 * Returns the agent id in the request headers, or null.
 * @throws {ChorusError} invalid_header if it is malformed
 */
export function agentHeader(headers: IncomingHttpHeaders): string | null {
  const id = single(headers['x-agent-id']);
  if (id === undefined) return null;
  if (!isId('agent', id)) throw unknownAgent();
  return id;
}

export function unknownAgent(): ChorusError {
  return new ChorusError('invalid_header', 'X-Agent-ID does not name an agent in this scope.', {
    details: [{ path: 'headers.x-agent-id', message: 'unknown agent' }],
  });
}
