import { agentHeader, checkRights, enterScope, scopeHeaders } from '@chorus/accounts';
import type { Action } from '@chorus/contract';
import type { Route } from '../define-route.ts';
import type { RequestContext } from './request-context.ts';
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
  const { owner, role, agent } = await enterScope(
    { accounts: services.accounts, agents: services.database.agents },
    credential,
    { ...scopeHeaders(request.headers), agentId },
  );
  context.owner = owner;
  context.role = role;
  context.agent = agent;
  if (route.params !== undefined && 'workspace_id' in route.params) await enterWorkspace(context);
  checkRights(credential, context.role, action);
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
