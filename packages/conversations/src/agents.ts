import {
  type Actor,
  type AgentCreate,
  type AgentPatch,
  type AuditLog,
  checkRecordLimit,
  newId,
  type Owner,
  scopeKey,
} from '@chorus/contract';
import type { AgentRecord, Database } from '@chorus/database';
import { type Asking, getChangeable, unknown } from './get-changeable.ts';

type AgentStore = Pick<Database, 'agents'>;

export async function createAgent({ agents }: AgentStore, owner: Owner, wanted: AgentCreate): Promise<AgentRecord> {
  await checkRecordLimit('agents', (most) => agents.count(owner, most));
  const now = new Date();
  const record: AgentRecord = { id: newId('agent'), owner, ...wanted, created_at: now, updated_at: now };
  await agents.insert(record);
  return record;
}

/** @throws {ChorusError} `not_found`; `role_forbidden` for another member's agent, depending on the role */
export async function changeAgent(
  { agents }: AgentStore,
  asking: Asking,
  id: string,
  patch: AgentPatch,
): Promise<AgentRecord> {
  await getChangeable(agents, asking, id, 'agent');
  return (await agents.patch(asking.owner, id, patch)) ?? unknown('agent');
}

/** Deletes an agent, but not its sessions. Throws like `changeAgent`. */
export async function removeAgent(
  { agents, audit }: AgentStore & { audit: AuditLog },
  asking: Asking,
  actor: Actor,
  id: string,
): Promise<void> {
  await getChangeable(agents, asking, id, 'agent');
  if (!(await agents.remove(asking.owner, id))) unknown('agent');
  const target = { type: 'agent', id };
  await audit.record(actor, { scope_key: scopeKey(asking.owner), action: 'agent.deleted', target });
}
