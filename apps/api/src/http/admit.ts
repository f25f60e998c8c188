import { ACTIONS, type Action, ChorusError, keyMay, roleMay } from '@chorus/contract';
import type { Route } from '../define-route.ts';
import type { RequestContext } from './request-context.ts';
import { agentHeader, scopeHeaders, unknownAgent } from './scope-headers.ts';
import { unknownRecord } from './unknown-record.ts';

/**
 * Finds out in which scope a request of a known user runs, as what, and with which agent, and checks that it may. The 422s of the headers come
 * before the 403s.
 *
 * @throws {ChorusError} invalid_scope, invalid_header, workspace_forbidden, forbidden, role_forbidden; not_found for the path's workspace
 */
export async function admit(route: Route, action: Action, context: RequestContext): Promise<void> {
  const { request, services, credential } = context;
  if (credential === null) throw new Error(`${route.path} is served without authentication`);
  const agentId = agentHeader(request.headers);
  const { owner, role } = await services.accounts
    .resolveScope({ credential, ...scopeHeaders(request.headers) })
    .catch((error) => {
      // Of a scope that can't be entered every agent is unknown, and the 422 comes first.
      if (agentId !== null && error instanceof ChorusError && error.status === 403) throw unknownAgent();
      throw error;
    });
  context.owner = owner;
  context.role = role;
  if (agentId !== null) {
    context.agent = await services.database.agents.get(owner, agentId);
    if (context.agent === null) throw unknownAgent();
  }
  if (route.params !== undefined && 'workspace_id' in route.params) await enterWorkspace(context);
  checkRights(context, action);
}

/** A route whose path names a workspace runs there, in personal scope too; from another workspace's scope it can't be seen. */
async function enterWorkspace(context: RequestContext): Promise<void> {
  const { request, services, credential, owner } = context;
  const id = String(request.params.workspace_id).toLowerCase();
  const elsewhere = owner?.workspace_id != null && owner.workspace_id !== id;
  const role = credential === null || elsewhere ? null : await services.accounts.roleIn(id, credential.user.id);
  if (credential === null || role === null) throw unknownRecord('workspace');
  context.owner = { scope: 'workspace', user_id: credential.user.id, workspace_id: id };
  context.role = role;
}

function checkRights({ credential, role }: RequestContext, action: Action): void {
  const { permission, role: least } = ACTIONS[action];
  if (!keyMay(credential?.key?.permissions ?? null, action)) {
    const message =
      permission === null ? 'No API key may do this: log in.' : `This API key lacks the permission ${permission}.`;
    throw new ChorusError('forbidden', message);
  }
  if (action === 'operate' && credential?.user.operator !== true) {
    throw new ChorusError('forbidden', 'Only operators of the platform may do this.');
  }
  if (role === null || !roleMay(role, action)) {
    throw new ChorusError('role_forbidden', `This needs the role ${least} in this workspace; yours is ${role}.`);
  }
}
