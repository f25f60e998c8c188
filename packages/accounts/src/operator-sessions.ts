import { ChorusError } from '@chorus/contract';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { checkRights } from './check-rights.ts';
import type { Credential } from './credential.ts';
import type { CredentialIds, Tickets } from './tickets.ts';

/** Lifetime of an operator's browser session. */
export const OPERATOR_SESSION_MS = 30 * 60_000;

const ALGORITHM = 'HS256';
const ISSUER = 'chorus';
const AUDIENCE = 'chorus/queues';
/** Keeps other kinds of JWT from passing as such a session, and the reverse. */
const TYPE = 'operator+jwt';

/**
 * Lets an operator's browser open server-rendered pages, where it cannot send our headers. A one-time ticket
 * becomes a signed session cookie. Neither outlives the credential that requested the ticket.
 */
export interface OperatorSessions {
  /** @throws {ChorusError} forbidden, store_unavailable */
  issueTicket(credential: Credential): Promise<{ ticket: string; expires_at: Date }>;
  /**
   * Exchanges a ticket for a session.
   * @throws {ChorusError} unauthorized, forbidden, store_unavailable
   */
  open(ticket: string): Promise<string>;
  /** @throws {ChorusError} unauthorized, forbidden, store_unavailable */
  verify(session: string): Promise<Credential>;
}

interface OperatorSessionsParts {
  tickets: Tickets;
  /** Signs sessions in all processes; replaced by a revocation. */
  secret: () => Promise<string>;
  standing: (ids: CredentialIds) => Promise<Credential>;
}

const claims = z.object({ sub: z.string(), sid: z.string().nullable(), kid: z.string().nullable() });
/** Operator tickets apply to the platform, not to a scope. */
const NO_SCOPE = { scope_type: 'personal', workspace_id: null, agent_id: null } as const;

export function createOperatorSessions({ tickets, secret, standing }: OperatorSessionsParts): OperatorSessions {
  const key = async () => new TextEncoder().encode(await secret());
  return {
    issueTicket: async (credential) => {
      checkOperator(credential);
      return tickets.issue(credential, NO_SCOPE);
    },
    open: async (ticket) => {
      const { credential } = await tickets.redeem(ticket);
      checkOperator(credential);
      const ids = { sub: credential.user.id, sid: credential.login_id, kid: credential.key?.id ?? null };
      return new SignJWT({ ...ids, iss: ISSUER, aud: AUDIENCE })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setExpirationTime(new Date(Date.now() + OPERATOR_SESSION_MS))
        .sign(await key());
    },
    verify: async (session) => {
      const { sub, sid, kid } = await readClaims(session, await key());
      const credential = await standing({ user_id: sub, login_id: sid, key_id: kid });
      checkOperator(credential);
      return credential;
    },
  };
}

function checkOperator(credential: Credential): void {
  checkRights(credential, 'owner', 'operate'); // regardless of scope
}

async function readClaims(session: string, key: Uint8Array): Promise<z.infer<typeof claims>> {
  try {
    const { payload } = await jwtVerify(session, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ['exp'],
    });
    return claims.parse(payload);
  } catch (error) {
    // jose throws plain TypeErrors for input that is not even JSON or base64.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError)
      throw new ChorusError('unauthorized', 'This session is invalid or has expired.', { cause: error });
    throw error;
  }
}
