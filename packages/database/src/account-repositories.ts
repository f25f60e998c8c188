import type { ApiKeyStatus, AuditQuery, ListQuery, Owner, Page, Role } from '@chorus/contract';
import type {
  AgentRecord,
  ApiKeyRecord,
  AuditRecord,
  InvitationRecord,
  MemberRecord,
  TotpRecord,
} from './account-records.ts';
import type { RefreshFamilyRecord, SigningKeyRecord, UserRecord, WorkspaceRecord } from './records.ts';

export interface UserRepository {
  /** `first`: the user made at first start, of whom there can be one. Throws `conflict` when the e-mail (or the first user) exists. */
  create(user: { email: string; password_hash: string; operator: boolean; first?: boolean }): Promise<UserRecord>;
  findByEmail(email: string): Promise<UserRecord | null>;
  findById(id: string): Promise<UserRecord | null>;
  getMany(ids: string[]): Promise<UserRecord[]>;
  /** The user made at first start. */
  findFirst(): Promise<UserRecord | null>;
  /** Whether there is a user at all. */
  any(): Promise<boolean>;
  /** In the order in which they were made. The cursor is the last id. */
  list(query: { limit: number; after?: string | undefined }): Promise<Page<UserRecord>>;
  setPassword(id: string, passwordHash: string): Promise<UserRecord | null>;
  /** A date: disabled since then; null: enabled. */
  setDisabled(id: string, at: Date | null): Promise<UserRecord | null>;
}

export interface WorkspaceRepository {
  /** Makes the workspace and its owner's membership. (Two round trips.) */
  create(workspace: { name: string }, ownerUserId: string): Promise<WorkspaceRecord>;
  get(id: string): Promise<WorkspaceRecord | null>;
  getMany(ids: string[]): Promise<WorkspaceRecord[]>;
  /** By id, over all users. */
  listAll(query: { limit: number; after?: string | undefined }): Promise<Page<WorkspaceRecord>>;
  rename(id: string, name: string): Promise<WorkspaceRecord | null>;
  /** Marks it as deleted and ends its memberships; what belongs to it stays for its erasure. (Two round trips.) Can be repeated. */
  remove(id: string): Promise<void>;
  /** The user's role; null when there is no such workspace or the user is no member. */
  membership(workspaceId: string, userId: string): Promise<Role | null>;
  /** By the user's id. The cursor is the last one. */
  listMembers(workspaceId: string, query: { limit: number; after?: string | undefined }): Promise<Page<MemberRecord>>;
  /** The user's memberships, by the workspace's id. The cursor is the last one. */
  listOfUser(userId: string, query: { limit: number; after?: string | undefined }): Promise<Page<MemberRecord>>;
  /** Workspaces that the user owns, counted up to `most`. */
  countOwned(userId: string, most: number): Promise<number>;
  /** Throws `conflict` when the user is a member already. (Two round trips for an owner.) */
  addMember(workspaceId: string, userId: string, role: Role): Promise<MemberRecord>;
  /** Null: no member with the role `from`. An owner gives up ownership first. (Two round trips for a new owner.) */
  setRole(workspaceId: string, userId: string, from: Role, to: Role): Promise<MemberRecord | null>;
  /** False: no member with this role. */
  removeMember(workspaceId: string, userId: string, role: Role): Promise<boolean>;
  /** Takes an owner off the list of owners unless no other is on it; then false. Can be repeated. (Two round trips when refused.) */
  giveUpOwnership(workspaceId: string, userId: string): Promise<boolean>;
}

/** From where, and by what, a login is used. */
export interface LoginDevice {
  address: string | null;
  user_agent: string | null;
}

/** A user's second factor: at most one. */
export interface TotpRepository {
  get(userId: string): Promise<TotpRecord | null>;
  /** Stores a factor that is not confirmed yet, in place of another such one. False: there is a confirmed one. */
  begin(userId: string, factor: { secret: string; created_at: Date }): Promise<boolean>;
  /** Confirms the factor that was begun then. False: there is none that waits for it. */
  confirm(
    userId: string,
    begunAt: Date,
    factor: { at: Date; last_step: number; recovery_hashes: string[] },
  ): Promise<boolean>;
  /** Uses the code of a time step up; false: it, or a later one, was used before. */
  useStep(userId: string, step: number): Promise<boolean>;
  /** Uses a recovery code up; false: there is none with this hash. */
  useRecoveryCode(userId: string, hash: string): Promise<boolean>;
  setRecoveryCodes(userId: string, hashes: string[]): Promise<boolean>;
  /** False: there was none. */
  remove(userId: string): Promise<boolean>;
}

export interface RefreshTokenRepository {
  open(family: LoginDevice & { id: string; user_id: string; current_hash: string; expires_at: Date }): Promise<void>;
  find(familyId: string): Promise<RefreshFamilyRecord | null>;
  /** Uses the current token: of several at once, one gets the family as it is afterwards, the others null. */
  rotate(
    familyId: string,
    use: LoginDevice & { from_hash: string; to_hash: string; at: Date; expires_at: Date },
  ): Promise<RefreshFamilyRecord | null>;
  /** False: it had ended, or there is none. `userId`: whose it must be. */
  revoke(familyId: string, at: Date, userId?: string): Promise<boolean>;
  /** Those of a user that are good now, the newest first. The cursor is the last one's time and id. */
  listOfUser(userId: string, query: ListQuery, now: Date): Promise<Page<RefreshFamilyRecord>>;
  /** All of a user's but one; answers the ids of those that were good. (Two round trips.) */
  revokeOfUser(userId: string, at: Date, exceptId: string | null): Promise<string[]>;
}

export interface SigningKeyRepository {
  /** All keys, the newest generation first. */
  list(): Promise<SigningKeyRecord[]>;
  /** False: another process has made this generation. */
  add(key: Omit<SigningKeyRecord, 'created_at'>): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** API keys are their user's, in whatever scope. */
export interface ApiKeyRepository {
  insert(record: ApiKeyRecord): Promise<void>;
  /** For authentication: by the key's own beginning, over all users. */
  findByPrefix(prefix: string): Promise<ApiKeyRecord | null>;
  get(userId: string, id: string): Promise<ApiKeyRecord | null>;
  /** Newest first. The cursor is the last id. `workspaceId`: only those that are bound to it. */
  list(userId: string, query: ListQuery, workspaceId?: string | null): Promise<Page<ApiKeyRecord>>;
  /** Those that are not revoked, counted up to `most`. */
  countLive(userId: string, most: number): Promise<number>;
  /** Changes the status of a key that is not revoked. Null: revoked, or unknown. */
  setStatus(userId: string, id: string, status: ApiKeyStatus): Promise<ApiKeyRecord | null>;
  /** Notes when keys were used, unless something later than `unlessSince` is noted already. */
  noteUse(uses: { id: string; at: Date }[], unlessSince: Date): Promise<void>;
}

/** Invitations into a workspace; what was accepted or revoked is gone, what has expired goes by itself. */
export interface InvitationRepository {
  insert(record: InvitationRecord): Promise<void>;
  findByToken(tokenHash: string): Promise<InvitationRecord | null>;
  list(workspaceId: string, query: ListQuery): Promise<Page<InvitationRecord>>;
  /** Counted up to `most`. */
  count(workspaceId: string, most: number): Promise<number>;
  get(workspaceId: string, id: string): Promise<InvitationRecord | null>;
  /** Of several at once, one gets true. */
  remove(workspaceId: string, id: string): Promise<boolean>;
  removeByWorkspace(workspaceId: string): Promise<void>;
}

/** Agents belong to a scope: members of a workspace share them. */
export interface AgentRepository {
  insert(record: AgentRecord): Promise<void>;
  get(owner: Owner, id: string): Promise<AgentRecord | null>;
  /** Newest first. The cursor is the last id. */
  list(owner: Owner, query: ListQuery): Promise<Page<AgentRecord>>;
  /** Counted up to `most`. */
  count(owner: Owner, most: number): Promise<number>;
  patch(owner: Owner, id: string, fields: AgentFields): Promise<AgentRecord | null>;
  remove(owner: Owner, id: string): Promise<boolean>;
}
export type AgentFields = Partial<Omit<AgentRecord, 'id' | 'owner' | 'created_at' | 'updated_at'>>;

/** What was done, by scope. Entries are only ever added; the store forgets them at their time. */
export interface AuditRepository {
  append(entries: AuditRecord[]): Promise<void>;
  /** Newest first. The cursor is the last id. */
  list(scopeKey: string, query: AuditQuery): Promise<Page<AuditRecord>>;
}
