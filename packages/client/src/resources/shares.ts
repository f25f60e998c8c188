import type { CallOptions } from '../client-options.ts';
import type { QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

/** Links to sessions. `sessions.share` creates one. */
export function createShares(transport: Transport) {
  return {
    /** Returns one page of your links, newest first. */
    list: (query?: QueryOf<'GET /shares'>, options?: CallOptions) =>
      transport.request('GET /shares', { query }, options),
    /** Iterates over all of your links. */
    all: (query?: QueryOf<'GET /shares'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /shares', { query }, options),
    /** Revokes a link, which is not found from then on. */
    revoke: (id: string, options?: CallOptions) =>
      transport.request('DELETE /shares/{share_id}', { path: { share_id: id } }, options),
    /** Lists the links of all members of a workspace. For its admins. */
    listOfMembers: (query?: QueryOf<'GET /shares/members'>, options?: CallOptions) =>
      transport.request('GET /shares/members', { query }, options),
    /** Revokes a link of any member of a workspace. For its admins. */
    revokeOfMember: (id: string, options?: CallOptions) =>
      transport.request('DELETE /shares/members/{share_id}', { path: { share_id: id } }, options),
    /** Returns what a link shares, by its token. Needs no credentials. */
    open: (token: string, options?: CallOptions) =>
      transport.request('GET /shared/{token}', { path: { token } }, options),
    /** Iterates over the messages that a link shares. Needs no credentials. */
    messages: (token: string, options?: CallOptions) =>
      iterateItems(transport, 'GET /shared/{token}/messages', { path: { token } }, options),
  };
}
