import { createHash, randomBytes } from 'node:crypto';
import {
  type Actor,
  type AuditLog,
  ChorusError,
  type CreatedInvitation,
  type Invitation,
  type InvitationCreate,
  type ListQuery,
  newId,
  type Page,
  type Role,
  roleAllows,
  roleMay,
  workspaceScope,
} from '@chorus/contract';
import type { Database, InvitationRecord, UserRecord } from '@chorus/database';
import type { PasswordCheck, RemoteActor } from './password-check.ts';
import type { Users } from './users.ts';
import type { Versions } from './versions.ts';

/** Invitations into a workspace. No mail is sent: who invites hands the token over. */
export interface Invitations {
  /** Throws `role_forbidden` where it takes an owner, `conflict` for who is a member already. */
  create(actor: Actor, workspaceId: string, as: Role, wanted: InvitationCreate): Promise<CreatedInvitation>;
  /** Those that are open, newest first. */
  list(workspaceId: string, query: ListQuery): Promise<Page<Invitation>>;
  /** Throws `not_found`. */
  revoke(actor: Actor, workspaceId: string, id: string): Promise<void>;
  /**
   * Makes the invited user a member, with the account that has the e-mail address and this password; if there is no such account, it is made.
   * A token is good once. Throws `not_found` for one that is unknown, used, revoked or has expired, and like a login for a wrong password.
   */
  accept(
    actor: RemoteActor,
    accepted: { token: string; password: string },
  ): Promise<{ user: UserRecord; workspaceId: string; role: Role }>;
}

export interface InvitationParts {
  database: Pick<Database, 'invitations' | 'workspaces' | 'users'>;
  users: Pick<Users, 'create'>;
  checkPassword: PasswordCheck;
  versions: Versions;
  audit: AuditLog;
}

const PREFIX = 'chi_';
const TOKEN_BYTES = 32;

export function createInvitations({ database, users, checkPassword, versions, audit }: InvitationParts): Invitations {
  const { invitations, workspaces } = database;

  const note = (
    actor: Actor,
    action: 'invitation.created' | 'invitation.accepted' | 'invitation.revoked',
    { id, workspace_id, email, role }: InvitationRecord,
  ) =>
    audit.record(actor, {
      scope_key: workspaceScope(workspace_id),
      action,
      target: { type: 'invitation', id },
      details: { email, role },
    });

  const openInvitation = async (token: string): Promise<InvitationRecord> => {
    const found = await invitations.findByToken(hashOf(token));
    if (found === null || found.expires_at <= new Date() || (await workspaces.get(found.workspace_id)) === null)
      throw unknownInvitation();
    return found;
  };

  /** The account of who accepts; of several processes one makes it. */
  const accountFor = async (email: string, password: string, actor: RemoteActor): Promise<UserRecord> => {
    if ((await database.users.findByEmail(email)) === null) {
      try {
        return await users.create(actor, { email, password });
      } catch (error) {
        if (!(error instanceof ChorusError && error.code === 'conflict')) throw error;
      }
    }
    return checkPassword({ email, password }, actor);
  };

  return {
    create: async (actor, workspaceId, as, { email, role, expires_in_s }) => {
      if (roleAllows(role, 'admin') && !roleMay(as, 'own'))
        throw new ChorusError('role_forbidden', 'Only an owner invites admins and owners.');
      const user = await database.users.findByEmail(email);
      if (user !== null && (await workspaces.membership(workspaceId, user.id)) !== null)
        throw new ChorusError('conflict', 'This user is a member already.');
      const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
      const now = new Date();
      const record: InvitationRecord = {
        id: newId('invitation'),
        workspace_id: workspaceId,
        email,
        role,
        token_hash: hashOf(token),
        invited_by: actor.user_id ?? '',
        created_at: now,
        expires_at: new Date(now.getTime() + expires_in_s * 1_000),
      };
      await invitations.insert(record);
      await note(actor, 'invitation.created', record);
      return { ...presentInvitation(record), token };
    },
    list: async (workspaceId, query) => {
      const page = await invitations.list(workspaceId, query);
      return { ...page, data: page.data.map(presentInvitation) };
    },
    revoke: async (actor, workspaceId, id) => {
      const record = await invitations.get(workspaceId, id);
      if (record === null || !(await invitations.remove(workspaceId, id))) throw unknownInvitation();
      await note(actor, 'invitation.revoked', record);
    },
    accept: async (actor, { token, password }) => {
      const invitation = await openInvitation(token);
      const { id, workspace_id, email, role } = invitation;
      const user = await accountFor(email, password, actor);
      // The invitation goes last: who fails half way can accept it again.
      const member = await workspaces.addMember(workspace_id, user.id, role).catch((error) => {
        if (error instanceof ChorusError && error.code === 'conflict') return null;
        throw error;
      });
      await invitations.remove(workspace_id, id);
      await note({ ...actor, user_id: user.id }, 'invitation.accepted', invitation);
      await versions.changed('members');
      return { user, workspaceId: workspace_id, role: member?.role ?? role };
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function unknownInvitation(): ChorusError {
  return new ChorusError('not_found', 'There is no such invitation: it was used, revoked, or has expired.');
}

function presentInvitation(record: InvitationRecord): Invitation {
  const { id, workspace_id, email, role, invited_by, created_at, expires_at } = record;
  return {
    id,
    object: 'invitation',
    workspace_id,
    email,
    role,
    invited_by,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}
