import { createHash, randomBytes } from 'node:crypto';
import { ChorusError, VOICE_LIMITS } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { z } from 'zod';
import type { Credential } from './credential.ts';

/** How tickets begin, by what they let into: one for one thing is none for another. */
const TICKET_PREFIXES = { voice: 'vtk_', queues: 'qtk_' } as const;

/** Where a ticket leads: the scope, and the agent, of the request that asked for it. */
export interface TicketScope {
  scope_type: 'personal' | 'workspace';
  workspace_id: string | null;
  agent_id: string | null;
}

/** Tickets let somebody in once who can send no header, such as a browser's socket. */
export interface Tickets {
  /** @throws {ChorusError} store_unavailable */
  issue(credential: Credential, scope: TicketScope): Promise<{ ticket: string; expires_at: Date }>;
  /**
   * Uses a ticket up. The credential that it was made with is checked again: what was revoked since lets nobody in.
   *
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

/** A credential without its secret: a user with the login or the key that let them in. */
export type CredentialIds = Pick<z.infer<typeof kept>, 'user_id' | 'login_id' | 'key_id'>;

/**
 * @param redis where they are kept
 * @param standing the credential as it is now; throws `unauthorized` where it lets nobody in any more
 * @param purpose what they let into
 */
export function createTickets(
  redis: RedisConnection,
  standing: (ids: CredentialIds) => Promise<Credential>,
  purpose: keyof typeof TICKET_PREFIXES,
): Tickets {
  const prefix = TICKET_PREFIXES[purpose];
  const form = new RegExp(`^${prefix}[\\w-]{43}$`);
  // Only a hash is kept: who reads Redis can't use what is there.
  const keyOf = (ticket: string) => `chorus:{ticket:${createHash('sha256').update(ticket).digest('base64url')}}`;
  return {
    issue: async ({ user, login_id, key }, scope) => {
      const ticket = prefix + randomBytes(32).toString('base64url');
      const value: z.infer<typeof kept> = { user_id: user.id, login_id, key_id: key?.id ?? null, scope };
      await fromRedis(redis.set(keyOf(ticket), JSON.stringify(value), 'PX', VOICE_LIMITS.ticketMs));
      return { ticket, expires_at: new Date(Date.now() + VOICE_LIMITS.ticketMs) };
    },
    redeem: async (ticket) => {
      const value = form.test(ticket) ? await fromRedis(redis.getdel(keyOf(ticket))) : null;
      if (value === null) throw new ChorusError('unauthorized', 'This ticket is not valid, was used, or has expired.');
      const { scope, ...ids } = kept.parse(JSON.parse(value));
      return { credential: await standing(ids), scope };
    },
  };
}
