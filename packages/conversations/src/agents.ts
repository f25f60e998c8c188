import {
  type Actor,
  type AgentCreate,
  type AgentPatch,
  type AuditLog,
  ChorusError,
  checkRecordLimit,
  mayChange,
  newId,
  type Owner,
  type Role,
  scopeKey,
} from '@chorus/contract';
import type { AgentRecord, Database } from '@chorus/database';

type AgentStore = Pick<Database, 'agents'>;

interface Asking {
  owner: Owner;
  role: Role;
}

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
  await checkMaker(agents, asking, id);
  return (await agents.patch(asking.owner, id, patch)) ?? unknown();
}

/** Keeps the agent's sessions. Throws like `changeAgent`. */
export async function removeAgent(
  { agents, audit }: AgentStore & { audit: AuditLog },
  asking: Asking,
  actor: Actor,
  id: string,
): Promise<void> {
  await checkMaker(agents, asking, id);
  if (!(await agents.remove(asking.owner, id))) unknown();
  const target = { type: 'agent', id };
  await audit.record(actor, { scope_key: scopeKey(asking.owner), action: 'agent.deleted', target });
}

async function checkMaker(agents: Database['agents'], { owner, role }: Asking, id: string): Promise<AgentRecord> {
  const record = (await agents.get(owner, id)) ?? unknown();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member created this agent; an admin can change it.');
  return record;
}

function unknown(): never {
  throw new ChorusError('not_found', 'Agent not found.');
}
