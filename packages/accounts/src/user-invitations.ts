import {
  type Actor,
  type AuditAction,
  type AuditLog,
  ChorusError,
  type CreatedUserInvitation,
  checkRecordLimit,
  type ListQuery,
  newId,
  type Page,
  type UserInvitation,
  type UserInvitationCreate,
} from '@chorus/contract';
import type { Database, InvitationRecord } from '@chorus/database';
import { newInvitationToken, unknownInvitation } from './invitation-tokens.ts';
import { auditForOperators } from './operators-audit.ts';

/** Invitations to the platform by operators. Accepting one creates an account. */
export interface UserInvitations {
  /** @throws {ChorusError} conflict if the address has an account; limit_reached */
  create(actor: Actor, wanted: UserInvitationCreate): Promise<CreatedUserInvitation>;
  list(query: ListQuery): Promise<Page<UserInvitation>>;
  /** @throws {ChorusError} not_found */
  revoke(actor: Actor, id: string): Promise<void>;
}

export function createUserInvitations({
  database: { invitations, users },
  audit,
}: {
  database: Pick<Database, 'invitations' | 'users'>;
  audit: AuditLog;
}): UserInvitations {
  const note = (actor: Actor, action: AuditAction, { id, email }: InvitationRecord) =>
    auditForOperators({ users, audit }, actor, { action, target: { type: 'invitation', id }, details: { email } });

  return {
    create: async (actor, { email, expires_in_s }) => {
      await checkRecordLimit('userInvitations', (most) => invitations.count(null, most));
      if ((await users.findByEmail(email)) !== null)
        throw new ChorusError('conflict', 'An account with this email address already exists.', {
          details: [{ path: 'body.email', message: 'has an account already' }],
        });
      const { token, token_hash } = newInvitationToken();
      const now = new Date();
      const record: InvitationRecord = {
        id: newId('invitation'),
        workspace_id: null,
        email,
        role: null,
        token_hash,
        invited_by: actor.user_id ?? '',
        by_operator: true,
        created_at: now,
        expires_at: new Date(now.getTime() + expires_in_s * 1_000),
      };
      await invitations.insert(record);
      await note(actor, 'invitation.created', record);
      return { ...present(record), token };
    },
    list: async (query) => {
      const page = await invitations.list(null, query);
      return { ...page, data: page.data.map(present) };
    },
    revoke: async (actor, id) => {
      const record = await invitations.get(null, id);
      if (record === null || !(await invitations.remove(null, id))) throw unknownInvitation();
      await note(actor, 'invitation.revoked', record);
    },
  };
}

function present({ id, email, invited_by, created_at, expires_at }: InvitationRecord): UserInvitation {
  return {
    id,
    object: 'user_invitation',
    email,
    invited_by,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}
