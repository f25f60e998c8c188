import { changeToolApi, createToolApi, presentToolApi, removeToolApi } from '@chorus/agent-tools';
import { deletion, listOf, listQuery, toolApi, toolApiCreate, toolApiPatch } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

const params = { api_id: 'toolApi' } as const;
const refuses = ['url_not_allowed', 'download_failed'] as const;

export const createApi = defineRoute({
  method: 'post',
  path: '/tool-apis',
  area: 'tools',
  summary: 'Register an API',
  description:
    'Agents of the scope can use the operations of its OpenAPI 3 document as tools. GET and HEAD count as reading, ' +
    'PUT and DELETE as idempotent. In a workspace, admins and owners register APIs.',
  needs: 'manage',
  body: toolApiCreate,
  answer: toolApi,
  refuses: [...refuses, 'limit_reached', 'overloaded'],
  handle: async ({ body, actor, owner, services }) =>
    presentToolApi(await createToolApi(partsOf(services), owner, actor, body)),
});

export const listApis = defineRoute({
  method: 'get',
  path: '/tool-apis',
  area: 'tools',
  summary: 'List APIs',
  description: 'Newest first. Members of a workspace share them.',
  needs: 'read',
  query: listQuery,
  answer: listOf(toolApi),
  handle: async ({ query, owner, services }) => {
    const page = await services.database.toolApis.list(owner, query);
    return { object: 'list', ...page, data: page.data.map(presentToolApi) };
  },
});

export const getApi = defineRoute({
  method: 'get',
  path: '/tool-apis/:api_id',
  area: 'tools',
  summary: 'Get an API',
  needs: 'read',
  params,
  answer: toolApi,
  handle: async ({ params, owner, services }) => {
    const record = await services.database.toolApis.get(owner, params.api_id);
    if (record === null) throw unknownRecord('toolApi');
    return presentToolApi(record);
  },
});

export const updateApi = defineRoute({
  method: 'patch',
  path: '/tool-apis/:api_id',
  area: 'tools',
  summary: 'Update an API',
  description: 'A new document replaces all operations.',
  needs: 'manage',
  params,
  body: toolApiPatch,
  answer: toolApi,
  refuses: [...refuses, 'overloaded'],
  handle: async ({ params, body, actor, owner, services }) =>
    presentToolApi(await changeToolApi(partsOf(services), owner, actor, params.api_id, body)),
});

export const deleteApi = defineRoute({
  method: 'delete',
  path: '/tool-apis/:api_id',
  area: 'tools',
  summary: 'Delete an API',
  description: 'Its credentials are deleted, too. Agents that name it continue without its tools.',
  needs: 'manage',
  params,
  answer: deletion,
  handle: async ({ params, actor, owner, services }) => {
    await removeToolApi(partsOf(services), owner, actor, params.api_id);
    return { id: params.api_id, object: 'tool_api', deleted: true };
  },
});

const partsOf = ({ database, outbound, accounts }: Services) => ({ database, outbound, audit: accounts.audit });
