import { agentHeader, checkRights, credentialScope, enterScope, scopeHeaders } from '@chorus/accounts';
import type { Action } from '@chorus/contract';
import { ChorusError } from '@chorus/contract';
import type { AssetVariant } from '@chorus/executions';
import type { Request, RequestHandler } from 'express';
import { isScopedByCredential, type Route } from '../define-route.ts';
import type { RequestContext } from './request-context.ts';
import { unknownRecord } from './unknown-record.ts';

/**
 * Resolves the scope, role and agent of a request, and checks permissions. Header errors (422) come before
 * 403s.
 * @throws {ChorusError} invalid_scope, invalid_header, workspace_forbidden, forbidden, role_forbidden;
 * not_found for the path's workspace
 */
export async function admit(route: Route, action: Action, context: RequestContext): Promise<void> {
  const { request, services, credential } = context;
  if (credential === null) throw new Error(`${route.path} is served without authentication`);
  const agentId = agentHeader(request.headers);
  const headers = scopeHeaders(request.headers);
  const asked = isScopedByCredential(route) ? credentialScope(credential, headers) : headers;
  const { owner, role, agent } = await enterScope(
    { accounts: services.accounts, agents: services.database.agents },
    credential,
    { ...asked, agentId },
  );
  context.owner = owner;
  context.role = role;
  context.agent = agent;
  if (route.params !== undefined && 'workspace_id' in route.params) await enterWorkspace(context);
  checkRights(credential, context.role, action);
}

/** Switches to the workspace in the path, also from personal scope. Other workspaces' scopes get not_found. */
async function enterWorkspace(context: RequestContext): Promise<void> {
  const { request, services, credential, owner } = context;
  const id = String(request.params.workspace_id).toLowerCase();
  const elsewhere = owner?.workspace_id != null && owner.workspace_id !== id;
  const role = credential === null || elsewhere ? null : await services.accounts.roleIn(id, credential.user.id);
  if (credential === null || role === null) throw unknownRecord('workspace');
  context.owner = { scope: 'workspace', user_id: credential.user.id, workspace_id: id };
  context.role = role;
}

/** Returns whether a request has a signature in its URL. It then needs no credential. */
export function isSigned(request: Request): boolean {
  return request.query.signature !== undefined;
}

/** Skips an authentication step for signed URLs. */
export function unlessSigned(handler: RequestHandler): RequestHandler {
  return (request, response, next) => (isSigned(request) ? next() : handler(request, response, next));
}

/**
 * Checks a signed URL before looking anything up, so that invalid ones don't reveal what exists.
 * @throws {ChorusError} forbidden; not_found when the asset has been deleted
 */
export async function admitSigned(variant: AssetVariant, context: RequestContext): Promise<void> {
  const { request, services } = context;
  const { expires, signature } = request.query;
  const id = String(request.params.asset_id);
  const leftS = services.addresses.assetUrls.check(id, variant, { expires, signature });
  if (leftS === null)
    throw new ChorusError(
      'forbidden',
      'This URL has expired or its signature is invalid. Get the asset again for a new URL.',
    );
  const asset = await services.database.assets.getSigned(id);
  if (asset === null) throw unknownRecord('asset');
  context.signed = { asset, leftS };
}
