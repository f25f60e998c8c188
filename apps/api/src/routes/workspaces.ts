import {
  auditEntry,
  auditQuery,
  deletion,
  listOf,
  listQuery,
  member,
  memberPatch,
  scopeKey,
  workspace,
  workspaceCreate,
  workspacePatch,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

const params = { workspace_id: 'workspace' } as const;
const memberParams = { workspace_id: 'workspace', user_id: 'user' } as const;

const LAST_OWNER = 'A workspace keeps at least one owner: 409 `last_owner`.';

export const createWorkspace = defineRoute({
  method: 'post',
  path: '/workspaces',
  area: 'workspaces',
  summary: 'Create a workspace',
  description: 'You become its owner. To use it, send `X-Scope-Type: workspace` and `X-Workspace-ID`.',
  needs: 'account',
  body: workspaceCreate,
  answer: workspace,
  handle: ({ body, actor, user, services }) => services.accounts.workspaces.create(actor, user.id, body.name),
});

export const listWorkspaces = defineRoute({
  method: 'get',
  path: '/workspaces',
  area: 'workspaces',
  summary: 'List your workspaces',
  description: 'A key that is bound to a workspace only lists that one.',
  needs: 'read',
  query: listQuery,
  answer: listOf(workspace),
  handle: async ({ query, user, credential, services }) => ({
    object: 'list',
    ...(await services.accounts.workspaces.list(user.id, query, credential.key?.workspace_id)),
  }),
});

export const getWorkspace = defineRoute({
  method: 'get',
  path: '/workspaces/:workspace_id',
  area: 'workspaces',
  summary: 'Get a workspace',
  description:
    'Routes with a workspace in their path run in that workspace, also from personal scope. From the scope of another workspace they are 404.',
  needs: 'read',
  params,
  answer: workspace,
  handle: ({ params, role, services }) => services.accounts.workspaces.get(params.workspace_id, role),
});

export const renameWorkspace = defineRoute({
  method: 'patch',
  path: '/workspaces/:workspace_id',
  area: 'workspaces',
  summary: 'Rename a workspace',
  needs: 'manage',
  params,
  body: workspacePatch,
  answer: workspace,
  handle: ({ params, body, actor, role, services }) =>
    services.accounts.workspaces.rename(actor, params.workspace_id, role, body.name),
});

export const deleteWorkspace = defineRoute({
  method: 'delete',
  path: '/workspaces/:workspace_id',
  area: 'workspaces',
  summary: 'Delete a workspace',
  description: 'Ends all memberships. Its records can no longer be reached.',
  needs: 'own',
  params,
  answer: deletion,
  handle: async ({ params, actor, services }) => {
    await services.accounts.workspaces.remove(actor, params.workspace_id);
    return { id: params.workspace_id, object: 'workspace', deleted: true };
  },
});

export const listMembers = defineRoute({
  method: 'get',
  path: '/workspaces/:workspace_id/members',
  area: 'workspaces',
  summary: "List a workspace's members",
  needs: 'read',
  params,
  query: listQuery,
  answer: listOf(member),
  handle: async ({ params, query, services }) => ({
    object: 'list',
    ...(await services.accounts.workspaces.listMembers(params.workspace_id, query)),
  }),
});

export const changeMemberRole = defineRoute({
  method: 'patch',
  path: '/workspaces/:workspace_id/members/:user_id',
  area: 'workspaces',
  summary: "Change a member's role",
  description: `Only owners can promote members to admin or owner, or change admins and owners. ${LAST_OWNER}`,
  needs: 'manage',
  params: memberParams,
  body: memberPatch,
  answer: member,
  handle: ({ params, body, actor, role, services }) =>
    services.accounts.workspaces.changeRole(actor, params.workspace_id, role, params.user_id, body.role),
});

export const removeMember = defineRoute({
  method: 'delete',
  path: '/workspaces/:workspace_id/members/:user_id',
  area: 'workspaces',
  summary: 'Remove a member',
  description: `What they created in the workspace remains. Only owners can remove admins and owners. ${LAST_OWNER}`,
  needs: 'manage',
  params: memberParams,
  answer: deletion,
  handle: async ({ params, actor, role, services }) => {
    await services.accounts.workspaces.removeMember(actor, params.workspace_id, role, params.user_id);
    return { id: params.user_id, object: 'member', deleted: true };
  },
});

export const leaveWorkspace = defineRoute({
  method: 'post',
  path: '/workspaces/:workspace_id/leave',
  area: 'workspaces',
  summary: 'Leave a workspace',
  description: LAST_OWNER,
  needs: 'account',
  params,
  answer: deletion,
  handle: async ({ params, actor, user, services }) => {
    await services.accounts.workspaces.leave(actor, params.workspace_id, user.id);
    return { id: user.id, object: 'member', deleted: true };
  },
});

export const listAudit = defineRoute({
  method: 'get',
  path: '/audit',
  area: 'workspaces',
  summary: 'List audit log entries',
  description:
    'Who did what to which record, newest first. A workspace logs its members, invitations, keys and deletions; the personal scope logs your logins (including failed ones), ' +
    'passwords, keys and deletions.',
  needs: 'manage',
  query: auditQuery,
  answer: listOf(auditEntry),
  handle: async ({ query, owner, services }) => ({
    object: 'list',
    ...(await services.accounts.audit.list(scopeKey(owner), query)),
  }),
});
