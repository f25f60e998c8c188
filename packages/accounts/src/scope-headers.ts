import type { IncomingHttpHeaders } from 'node:http';
import { ChorusError, isId, isUuid } from '@chorus/contract';

export interface ScopeHeaders {
  scopeType: string | undefined;
  workspaceId: string | undefined;
}

/** The headers that say in which scope a request runs, unchecked. */
export function scopeHeaders(headers: IncomingHttpHeaders): ScopeHeaders {
  return { scopeType: single(headers['x-scope-type']), workspaceId: single(headers['x-workspace-id']) };
}

/** Node joins repeated headers of unknown names by commas, so there is never a list. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Checks the scope's headers by form alone, where they may be absent and nobody is logged in yet.
 *
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

function invalidScope(header: string, message: string): ChorusError {
  return new ChorusError('invalid_scope', `${header}: ${message}`, {
    details: [{ path: `headers.${header}`, message }],
  });
}

/**
 * The agent that a request names; null: none.
 *
 * @throws {ChorusError} invalid_header when it is no agent's id
 */
export function agentHeader(headers: IncomingHttpHeaders): string | null {
  const id = single(headers['x-agent-id']);
  if (id === undefined) return null;
  if (!isId('agent', id)) throw unknownAgent();
  return id;
}

/** The refusal of an agent that this scope does not have. */
export function unknownAgent(): ChorusError {
  return new ChorusError('invalid_header', 'X-Agent-ID names no agent of this scope.', {
    details: [{ path: 'headers.x-agent-id', message: 'unknown agent' }],
  });
}
