import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

const MEMBERS = 'GET /workspaces/{workspace_id}/members';
const MEMBER = 'PATCH /workspaces/{workspace_id}/members/{user_id}';
const INVITATIONS = 'GET /workspaces/{workspace_id}/invitations';

type Role = BodyOf<typeof MEMBER>['role'];

export function createWorkspaces(transport: Transport) {
  const path = (id: string) => ({ path: { workspace_id: id } });
  const member = (id: string, userId: string) => ({ path: { workspace_id: id, user_id: userId } });
  return {
    create: (name: string, options?: CallOptions) => transport.request('POST /workspaces', { body: { name } }, options),
    get: (id: string, options?: CallOptions) => transport.request('GET /workspaces/{workspace_id}', path(id), options),
    list: (query?: QueryOf<'GET /workspaces'>, options?: CallOptions) =>
      transport.request('GET /workspaces', { query }, options),
    /** All that you are a member of. */
    all: (query?: QueryOf<'GET /workspaces'>, options?: CallOptions) =>
      everyItem(transport, 'GET /workspaces', { query }, options),
    rename: (id: string, name: string, options?: CallOptions) =>
      transport.request('PATCH /workspaces/{workspace_id}', { ...path(id), body: { name } }, options),
    delete: (id: string, options?: CallOptions) =>
      transport.request('DELETE /workspaces/{workspace_id}', path(id), options),
    leave: (id: string, options?: CallOptions) =>
      transport.request('POST /workspaces/{workspace_id}/leave', path(id), options),
    members: (id: string, options?: CallOptions) => everyItem(transport, MEMBERS, path(id), options),
    changeRole: (id: string, userId: string, role: Role, options?: CallOptions) =>
      transport.request(MEMBER, { ...member(id, userId), body: { role } }, options),
    removeMember: (id: string, userId: string, options?: CallOptions) =>
      transport.request('DELETE /workspaces/{workspace_id}/members/{user_id}', member(id, userId), options),
    invitations: (id: string, options?: CallOptions) => everyItem(transport, INVITATIONS, path(id), options),
    /** The answer is the only one that shows the `token`; hand it over yourself. */
    invite: (id: string, body: BodyOf<'POST /workspaces/{workspace_id}/invitations'>, options?: CallOptions) =>
      transport.request('POST /workspaces/{workspace_id}/invitations', { ...path(id), body }, options),
    revokeInvitation: (id: string, invitationId: string, options?: CallOptions) =>
      transport.request(
        'DELETE /workspaces/{workspace_id}/invitations/{invitation_id}',
        { path: { workspace_id: id, invitation_id: invitationId } },
        options,
      ),
  };
}
