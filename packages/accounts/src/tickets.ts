import { createHash, randomBytes } from 'node:crypto';
import { ChorusError, VOICE_LIMITS } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { z } from 'zod';
import type { Credential } from './credential.ts';

const TICKET = /^vtk_[\w-]{43}$/;

export interface TicketScope {
  scope_type: 'personal' | 'workspace';
  workspace_id: string | null;
  agent_id: string | null;
}

/** One-time tickets for clients that cannot send headers, such as browser sockets. */
export interface Tickets {
  /** @throws {ChorusError} store_unavailable */
  issue(credential: Credential, scope: TicketScope): Promise<{ ticket: string; expires_at: Date }>;
  /**
   * Consumes a ticket and re-checks the credential that requested it.
   * @throws {ChorusError} unauthorized, store_unavailable
   */
  redeem(ticket: string): Promise<{ credential: Credential; scope: TicketScope }>;
}

const kept = z.object({
  user_id: z.string(),
  login_id: z.string().nullable(),
  key_id: z.string().nullable(),
  scope: z.object({
    scope_type: z.enum(['personal', 'workspace']),
    workspace_id: z.string().nullable(),
    agent_id: z.string().nullable(),
  }),
});

/** A credential without its secret: the user, and the login or key. */
export type CredentialIds = Pick<z.infer<typeof kept>, 'user_id' | 'login_id' | 'key_id'>;

/** @param standing returns the credential's current state; throws `unauthorized` if it is no longer valid */
export function createTickets(redis: RedisConnection, standing: (ids: CredentialIds) => Promise<Credential>): Tickets {
  // Only hashes are stored, so reading Redis gives no access.
  const keyOf = (ticket: string) => `chorus:{ticket:${createHash('sha256').update(ticket).digest('base64url')}}`;
  return {
    issue: async ({ user, login_id, key }, scope) => {
      const ticket = `vtk_${randomBytes(32).toString('base64url')}`;
      const value: z.infer<typeof kept> = { user_id: user.id, login_id, key_id: key?.id ?? null, scope };
      await fromRedis(redis.set(keyOf(ticket), JSON.stringify(value), 'PX', VOICE_LIMITS.ticketMs));
      return { ticket, expires_at: new Date(Date.now() + VOICE_LIMITS.ticketMs) };
    },
    redeem: async (ticket) => {
      const value = TICKET.test(ticket) ? await fromRedis(redis.getdel(keyOf(ticket))) : null;
      if (value === null) throw new ChorusError('unauthorized', 'This ticket is invalid, was used, or has expired.');
      const { scope, ...ids } = kept.parse(JSON.parse(value));
      return { credential: await standing(ids), scope };
    },
  };
}
