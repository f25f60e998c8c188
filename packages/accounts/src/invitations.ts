import {
  type Actor,
  type AuditLog,
  ChorusError,
  type CreatedInvitation,
  checkRecordLimit,
  type Invitation,
  type InvitationCreate,
  type ListQuery,
  newId,
  type Page,
  type Role,
  roleAllows,
  roleMay,
  type User,
  type Workspace,
  workspaceScope,
} from '@chorus/contract';
import type { Database, InvitationRecord, UserRecord } from '@chorus/database';
import { hashOfInvitation, newInvitationToken, unknownInvitation } from './invitation-tokens.ts';
import { auditForOperators } from './operators-audit.ts';
import type { RemoteActor } from './password-check.ts';
import { checkNewPassword } from './passwords/check-new-password.ts';
import type { Users } from './users.ts';
import type { Versions } from './versions.ts';
import { presentWorkspace } from './workspaces.ts';

interface WorkspaceInvitation extends InvitationRecord {
  workspace_id: string;
  role: Role;
}

interface PlatformInvitation extends InvitationRecord {
  workspace_id: null;
}

const isOfWorkspace = (record: InvitationRecord): record is WorkspaceInvitation =>
  record.workspace_id !== null && record.role !== null;

export type InviteNewUsers = 'operators' | 'anyone';

/**
 * Workspace invitations. No mail is sent: the inviter hands over the token and could use it. Therefore only an
 * operator's invitation may create an account, and no answer reveals whether an address has one.
 */
export interface Invitations {
  /**
   * @param by `operator`: whether the inviter acts as an operator
   * @throws {ChorusError} role_forbidden if only an owner may grant this role; conflict if the person is
   * already a member
   */
  create(
    actor: Actor,
    workspaceId: string,
    by: { role: Role; operator: boolean },
    wanted: InvitationCreate,
  ): Promise<CreatedInvitation>;
  list(workspaceId: string, query: ListQuery): Promise<Page<Invitation>>;
  /** @throws {ChorusError} not_found */
  revoke(actor: Actor, workspaceId: string, id: string): Promise<void>;
  /**
   * Creates the account for the invited email address and adds the membership. Tokens work once.
   * @throws {ChorusError} not_found for an unknown, used, revoked or expired token; invalid_request for a weak
   * password; unauthorized, with the same message, if the address has an account or the invitation may not create one
   */
  signUp(actor: RemoteActor, accepted: { token: string; password: string }): Promise<UserRecord>;
  /**
   * Adds a logged-in user to the workspace.
   * @throws {ChorusError} not_found as above; forbidden if the invitation is for another address
   */
  join(actor: RemoteActor, user: Pick<User, 'id' | 'email'>, token: string): Promise<Workspace>;
}

export interface InvitationParts {
  database: Pick<Database, 'invitations' | 'workspaces' | 'users'>;
  users: Pick<Users, 'create'>;
  inviteNewUsers: InviteNewUsers;
  versions: Versions;
  audit: AuditLog;
}

export function createInvitations({ database, users, inviteNewUsers, versions, audit }: InvitationParts): Invitations {
  const { invitations, workspaces } = database;

  /** Returns whether a still active operator created it. For older records without the flag, the inviter's counts. */
  const mayCreateAccount = async ({ by_operator, invited_by }: InvitationRecord): Promise<boolean> => {
    if (inviteNewUsers === 'anyone') return true;
    if (by_operator === false) return false;
    const inviter = await database.users.findById(invited_by);
    return inviter !== null && inviter.disabled_at === null && (by_operator ?? inviter.operator);
  };

  const note = (
    actor: Actor,
    action: 'invitation.created' | 'invitation.accepted' | 'invitation.revoked',
    { id, workspace_id, email, role }: WorkspaceInvitation,
  ) =>
    audit.record(actor, {
      scope_key: workspaceScope(workspace_id),
      action,
      target: { type: 'invitation', id },
      details: { email, role },
    });

  const openInvitation = async (token: string): Promise<WorkspaceInvitation | PlatformInvitation> => {
    const found = await invitations.findByToken(hashOfInvitation(token));
    if (found === null || found.expires_at <= new Date()) throw unknownInvitation();
    const { workspace_id, role } = found;
    if (workspace_id === null || role === null) return { ...found, workspace_id: null };
    if ((await workspaces.get(workspace_id)) === null) throw unknownInvitation();
    return { ...found, workspace_id, role };
  };

  const present = async (record: WorkspaceInvitation): Promise<Invitation> =>
    presentInvitation(record, await mayCreateAccount(record));

  /** Deletes the invitation last, so that a failed acceptance can be repeated. */
  const enter = async (actor: RemoteActor, invitation: WorkspaceInvitation, userId: string): Promise<Role> => {
    const { id, workspace_id, role } = invitation;
    const member = await workspaces.addMember(workspace_id, userId, role).catch((error) => {
      if (error instanceof ChorusError && error.code === 'conflict') return null;
      throw error;
    });
    await invitations.remove(workspace_id, id);
    await note({ ...actor, user_id: userId }, 'invitation.accepted', invitation);
    await versions.changed('members');
    return member?.role ?? (await workspaces.membership(workspace_id, userId)) ?? role;
  };

  return {
    create: async (actor, workspaceId, as, { email, role, expires_in_s }) => {
      await checkRecordLimit('invitations', (most) => invitations.count(workspaceId, most));
      if (roleAllows(role, 'admin') && !roleMay(as.role, 'own'))
        throw new ChorusError('role_forbidden', 'Only owners may invite admins and owners.');
      const user = await database.users.findByEmail(email);
      if (user !== null && (await workspaces.membership(workspaceId, user.id)) !== null)
        throw new ChorusError('conflict', 'This user is already a member.');
      const { token, token_hash } = newInvitationToken();
      const now = new Date();
      const record: WorkspaceInvitation = {
        id: newId('invitation'),
        workspace_id: workspaceId,
        email,
        role,
        token_hash,
        invited_by: actor.user_id ?? '',
        by_operator: as.operator,
        created_at: now,
        expires_at: new Date(now.getTime() + expires_in_s * 1_000),
      };
      await invitations.insert(record);
      await note(actor, 'invitation.created', record);
      return { ...(await present(record)), token };
    },
    list: async (workspaceId, query) => {
      const page = await invitations.list(workspaceId, query);
      return { ...page, data: await Promise.all(page.data.filter(isOfWorkspace).map(present)) };
    },
    revoke: async (actor, workspaceId, id) => {
      const record = await invitations.get(workspaceId, id);
      if (record === null || !isOfWorkspace(record)) throw unknownInvitation();
      if (!(await invitations.remove(workspaceId, id))) throw unknownInvitation();
      await note(actor, 'invitation.revoked', record);
    },
    signUp: async (actor, { token, password }) => {
      const invitation = await openInvitation(token);
      const { email } = invitation;
      // Checked first, so the answer does not depend on whether the account exists.
      await checkNewPassword(password, email, 'body.password');
      const [isAllowed, existing] = await Promise.all([
        mayCreateAccount(invitation),
        database.users.findByEmail(email),
      ]);
      if (!isAllowed || existing !== null) throw mustLogIn();
      const user = await users.create(actor, { email, password }).catch((error) => {
        throw error instanceof ChorusError && error.code === 'conflict' ? mustLogIn() : error;
      });
      if (invitation.workspace_id !== null) await enter(actor, invitation, user.id);
      else {
        await invitations.remove(null, invitation.id);
        const target = { type: 'invitation', id: invitation.id };
        const accepted = { action: 'invitation.accepted', target, details: { email } } as const;
        await auditForOperators({ users: database.users, audit }, { ...actor, user_id: user.id }, accepted);
      }
      return user;
    },
    join: async (actor, user, token) => {
      const invitation = await openInvitation(token);
      if (invitation.email !== user.email)
        throw new ChorusError('forbidden', 'This invitation is for another email address. Log in with that address.');
      const workspace = invitation.workspace_id === null ? null : await workspaces.get(invitation.workspace_id);
      if (workspace === null || invitation.workspace_id === null) throw unknownInvitation();
      return presentWorkspace(workspace, await enter(actor, invitation, user.id));
    },
  };
}

function mustLogIn(): ChorusError {
  return new ChorusError(
    'unauthorized',
    'This invitation cannot create an account. Log in with the invited email address, then accept it.',
  );
}

function presentInvitation(record: WorkspaceInvitation, newAccount: boolean): Invitation {
  const { id, workspace_id, email, role, invited_by, created_at, expires_at } = record;
  return {
    id,
    object: 'invitation',
    workspace_id,
    email,
    role,
    invited_by,
    new_account: newAccount,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}
