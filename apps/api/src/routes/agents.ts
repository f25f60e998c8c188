import { checkTools } from '@chorus/agent-tools';
import { type Agent, agent, agentCreate, agentPatch, deletion, listOf, listQuery } from '@chorus/contract';
import { changeAgent, createAgent as create, removeAgent } from '@chorus/conversations';
import type { AgentRecord } from '@chorus/database';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';

const params = { agent_id: 'agent' } as const;

export const createAgent = defineRoute({
  method: 'post',
  path: '/agents',
  area: 'agents',
  summary: 'Create an agent',
  description:
    'Name it in `X-Agent-ID` of a chat. Its instructions precede the conversation, and its model and temperature apply unless the request sets them. ' +
    'A session created with it keeps it.',
  needs: 'write',
  body: agentCreate,
  answer: agent,
  handle: async ({ body, owner, services }) => {
    await checkTools(services, owner, body.tools);
    return toAgent(await create(services.database, owner, body));
  },
});

export const listAgents = defineRoute({
  method: 'get',
  path: '/agents',
  area: 'agents',
  summary: 'List agents',
  description: 'Newest first. Members of a workspace share its agents.',
  needs: 'read',
  query: listQuery,
  answer: listOf(agent),
  handle: async ({ query, owner, services }) => {
    const page = await services.database.agents.list(owner, query);
    return { object: 'list', ...page, data: page.data.map(toAgent) };
  },
});

export const getAgent = defineRoute({
  method: 'get',
  path: '/agents/:agent_id',
  area: 'agents',
  summary: 'Get an agent',
  needs: 'read',
  params,
  answer: agent,
  handle: async ({ params, owner, services }) => {
    const record = await services.database.agents.get(owner, params.agent_id);
    if (record === null) throw unknownRecord('agent');
    return toAgent(record);
  },
});

export const updateAgent = defineRoute({
  method: 'patch',
  path: '/agents/:agent_id',
  area: 'agents',
  summary: 'Update an agent',
  description: 'Queued and running turns keep their settings. Editors can change their own agents, admins all.',
  needs: 'write',
  params,
  body: agentPatch,
  answer: agent,
  handle: async ({ params, body, owner, role, services }) => {
    if (body.tools !== undefined) await checkTools(services, owner, body.tools);
    return toAgent(await changeAgent(services.database, { owner, role }, params.agent_id, body));
  },
});

export const deleteAgent = defineRoute({
  method: 'delete',
  path: '/agents/:agent_id',
  area: 'agents',
  summary: 'Delete an agent',
  description: 'Its sessions remain and continue without it. Editors can delete their own agents, admins all.',
  needs: 'write',
  params,
  answer: deletion,
  handle: async ({ params, actor, owner, role, services }) => {
    const store = { agents: services.database.agents, audit: services.accounts.audit };
    await services.deletions.carryOut({ kind: 'agent', id: params.agent_id, owner }, () =>
      removeAgent(store, { owner, role }, actor, params.agent_id),
    );
    return { id: params.agent_id, object: 'agent', deleted: true };
  },
});

function toAgent({ id, owner, created_at, updated_at, ...fields }: AgentRecord): Agent {
  return {
    id,
    object: 'agent',
    ...fields,
    user_id: owner.user_id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
