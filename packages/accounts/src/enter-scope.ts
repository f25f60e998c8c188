import { ChorusError } from '@chorus/contract';
import type { AgentRecord, Database } from '@chorus/database';
import type { Accounts } from './accounts-port.ts';
import type { Credential } from './credential.ts';
import { unknownAgent } from './scope-headers.ts';
import type { ResolvedScope } from './scopes.ts';

/** Requested scope: header values as sent (undefined if absent), and a well-formed agent id or null. */
export interface AskedScope {
  scopeType: string | undefined;
  workspaceId: string | undefined;
  agentId: string | null;
}

export interface EnteredScope extends ResolvedScope {
  agent: AgentRecord | null;
}

/**
 * Resolves the requested scope and agent for an authenticated user.
 * @throws {ChorusError} 422 (invalid_scope, invalid_header) before 403 (workspace_forbidden, forbidden);
 * store_unavailable
 */
export async function enterScope(
  { accounts, agents }: { accounts: Pick<Accounts, 'resolveScope'>; agents: Pick<Database['agents'], 'get'> },
  credential: Credential,
  { scopeType, workspaceId, agentId }: AskedScope,
): Promise<EnteredScope> {
  const { owner, role } = await accounts.resolveScope({ credential, scopeType, workspaceId }).catch((error) => {
    // An agent in an inaccessible scope is reported as unknown, so the 422 comes first.
    if (agentId !== null && error instanceof ChorusError && error.status === 403) throw unknownAgent();
    throw error;
  });
  const agent = agentId === null ? null : await agents.get(owner, agentId);
  if (agentId !== null && agent === null) throw unknownAgent();
  return { owner, role, agent };
}
