import { ChorusError } from '@chorus/contract';
import type { AgentRecord, Database } from '@chorus/database';
import type { Accounts } from './accounts.ts';
import type { Credential } from './credential.ts';
import { unknownAgent } from './scope-headers.ts';
import type { ResolvedScope } from './scopes.ts';

/** Where somebody wants to act: the scope as it came, absent: undefined; and an agent's well-formed id, or null. */
export interface AskedScope {
  scopeType: string | undefined;
  workspaceId: string | undefined;
  agentId: string | null;
}

export interface EnteredScope extends ResolvedScope {
  agent: AgentRecord | null;
}

/**
 * The scope that a known user asks for, as what they act there, and the agent that they name.
 *
 * @throws {ChorusError} invalid_scope, invalid_header, workspace_forbidden, forbidden, store_unavailable: the 422s before the 403s
 */
export async function enterScope(
  { accounts, agents }: { accounts: Pick<Accounts, 'resolveScope'>; agents: Pick<Database['agents'], 'get'> },
  credential: Credential,
  { scopeType, workspaceId, agentId }: AskedScope,
): Promise<EnteredScope> {
  const { owner, role } = await accounts.resolveScope({ credential, scopeType, workspaceId }).catch((error) => {
    // Of a scope that can't be entered every agent is unknown, and the 422 comes first.
    if (agentId !== null && error instanceof ChorusError && error.status === 403) throw unknownAgent();
    throw error;
  });
  const agent = agentId === null ? null : await agents.get(owner, agentId);
  if (agentId !== null && agent === null) throw unknownAgent();
  return { owner, role, agent };
}
