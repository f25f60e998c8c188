import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

const MEMBERS = 'GET /workspaces/{workspace_id}/members';
const MEMBER = 'PATCH /workspaces/{workspace_id}/members/{user_id}';
const INVITATIONS = 'GET /workspaces/{workspace_id}/invitations';

type Role = BodyOf<typeof MEMBER>['role'];

export function createWorkspaces(transport: Transport) {
  const path = (id: string) => ({ path: { workspace_id: id } });
  const member = (id: string, userId: string) => ({ path: { workspace_id: id, user_id: userId } });
  return {
    /** Creates a workspace. Its creator becomes the owner. */
    create: (name: string, options?: CallOptions) => transport.request('POST /workspaces', { body: { name } }, options),
    /** Returns a workspace. */
    get: (id: string, options?: CallOptions) => transport.request('GET /workspaces/{workspace_id}', path(id), options),
    /** Returns one page of the workspaces that the user is a member of. */
    list: (query?: QueryOf<'GET /workspaces'>, options?: CallOptions) =>
      transport.request('GET /workspaces', { query }, options),
    /** Iterates over all workspaces that the user is a member of. */
    all: (query?: QueryOf<'GET /workspaces'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /workspaces', { query }, options),
    /** Renames a workspace. */
    rename: (id: string, name: string, options?: CallOptions) =>
      transport.request('PATCH /workspaces/{workspace_id}', { ...path(id), body: { name } }, options),
    /** Deletes a workspace and everything in it. */
    delete: (id: string, options?: CallOptions) =>
      transport.request('DELETE /workspaces/{workspace_id}', path(id), options),
    /** Leaves a workspace. Throws `last_owner` if it would have no owner left. */
    leave: (id: string, options?: CallOptions) =>
      transport.request('POST /workspaces/{workspace_id}/leave', path(id), options),
    /** Returns the spending limits of a workspace, and its spending. */
    budget: (id: string, options?: CallOptions) =>
      transport.request('GET /workspaces/{workspace_id}/budget', path(id), options),
    /** Changes the spending limits of a workspace. Omitted fields stay unchanged. Null removes a limit. */
    changeBudget: (id: string, body: BodyOf<'PATCH /workspaces/{workspace_id}/budget'>, options?: CallOptions) =>
      transport.request('PATCH /workspaces/{workspace_id}/budget', { ...path(id), body }, options),
    /** Iterates over the members and their roles. */
    members: (id: string, options?: CallOptions) => iterateItems(transport, MEMBERS, path(id), options),
    /** Changes the role of a member. Throws `last_owner` if no owner would be left. */
    changeRole: (id: string, userId: string, role: Role, options?: CallOptions) =>
      transport.request(MEMBER, { ...member(id, userId), body: { role } }, options),
    /** Removes a member. */
    removeMember: (id: string, userId: string, options?: CallOptions) =>
      transport.request('DELETE /workspaces/{workspace_id}/members/{user_id}', member(id, userId), options),
    /** Iterates over the open invitations. */
    invitations: (id: string, options?: CallOptions) => iterateItems(transport, INVITATIONS, path(id), options),
    /** Creates an invitation. Only this response shows its `token`, which you must hand over yourself. */
    invite: (id: string, body: BodyOf<'POST /workspaces/{workspace_id}/invitations'>, options?: CallOptions) =>
      transport.request('POST /workspaces/{workspace_id}/invitations', { ...path(id), body }, options),
    /** Revokes an open invitation. */
    revokeInvitation: (id: string, invitationId: string, options?: CallOptions) =>
      transport.request(
        'DELETE /workspaces/{workspace_id}/invitations/{invitation_id}',
        { path: { workspace_id: id, invitation_id: invitationId } },
        options,
      ),
  };
}
