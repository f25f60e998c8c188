import type {
  CitationItem,
  ExecutionStatus,
  JobsQuery,
  ListQuery,
  MessageVoice,
  Owner,
  Page,
  Progress,
  SessionPatch,
  SessionQuery,
  Usage,
  UsageRow,
} from '@chorus/contract';
import type { SecretBox } from '@chorus/secrets';
import type {
  AgentRepository,
  ApiKeyRepository,
  AuditRepository,
  InvitationRepository,
  RefreshTokenRepository,
  SigningKeyRepository,
  TotpRepository,
  UserRepository,
  WorkspaceRepository,
} from './account-repositories.ts';
import type { ArchiveRepository, ArchiveRevisionRepository } from './archive-records.ts';
import type { AssetRepository } from './asset-records.ts';
import type { BatchItemRepository, BatchRepository } from './batch-records.ts';
import type { DeletionRepository } from './deletion-records.ts';
import type { KnowledgeRecord, KnowledgeRepository, KnowledgeSpaceRepository } from './knowledge-records.ts';
import type { ProvenanceRepository } from './provenance-records.ts';
import type {
  ExecutionRecord,
  IdempotencyRecord,
  MessageRecord,
  MessageRevisionRecord,
  Outcome,
  SessionRecord,
} from './records.ts';
import type { StorageRepository } from './storage-records.ts';
import type { TextRepository } from './text-records.ts';
import type { WebhookDeliveryRepository, WebhookSecretRepository, WebhookWish } from './webhook-records.ts';

/**
 * The repositories. Records go in and come out as plain objects; times are `Date`. Each call is one round trip unless it
 * says otherwise. While the store cannot be reached each call throws `store_unavailable` within a few seconds; a write
 * that failed so may or may not have been done, so every write can be repeated (an insertion then throws `conflict`).
 */

/** How an execution stands, for its batch. */
export type ExecutionStanding = Pick<ExecutionRecord, 'id' | 'batch_id' | 'status' | 'error' | 'finished_at'>;

/** Whose executions a deletion looks for. */
export type DeletionSubject =
  | { session_id: string }
  | { batch_id: string }
  | { entry_id: string }
  | { ids: readonly string[] };

/** What a deletion has to know of an execution. */
export interface DeletableExecution
  extends Pick<ExecutionRecord, 'id' | 'owner' | 'kind' | 'surface' | 'input' | 'message_id' | 'batch_id'> {
  ended: boolean;
  /** It was blanked before: nothing is left of its input. */
  deleted: boolean;
  failed: boolean;
}

/** The id that a retry has or is about to get, and when it was claimed. */
export interface RetryClaim {
  id: string;
  at: Date;
}

/** Executions belong to a scope: members of a workspace share them, but those of a session are their maker's alone. */
export interface ExecutionRepository {
  /** Throws `conflict` when the id exists. */
  insert(record: ExecutionRecord): Promise<void>;
  /** In bulk: what exists already is left as it is. Answers which were stored. */
  insertMany(records: ExecutionRecord[]): Promise<Set<string>>;
  get(owner: Owner, id: string): Promise<ExecutionRecord | null>;
  /** Those of these that there are, in no order. */
  getMany(owner: Owner, ids: string[]): Promise<ExecutionRecord[]>;
  /** For feeding batches: how those of these stand that there are, over all owners. */
  standings(ids: string[]): Promise<ExecutionStanding[]>;
  /** For feeding batches: what has ended and its batch has not taken note of, over all owners, oldest first. */
  listBatchesDue(limit: number): Promise<ExecutionStanding[]>;
  /** Their batches have taken note of them. */
  noteBatches(ids: string[]): Promise<void>;
  /** Newest first. The cursor is the last id; another one throws `invalid_request`. */
  list(owner: Owner, query: JobsQuery): Promise<Page<ExecutionRecord>>;
  /** queued → running for the first attempt; otherwise nothing happens. */
  markRunning(owner: Owner, id: string, startedAt: Date): Promise<void>;
  /**
   * An attempt takes over: raises `attempt`, sets the status to running unless it is cancelling, keeps the first
   * `started_at`. Null when the execution has ended, is unknown, or a newer attempt has it. (Two round trips while cancelling.)
   */
  claim(owner: Owner, id: string, attempt: number, startedAt: Date): Promise<ExecutionRecord | null>;
  /** Keeps what a later attempt goes on from, while `attempt` has the execution. False when it has not, or the execution has ended. */
  saveCheckpoint(owner: Owner, id: string, attempt: number, value: unknown): Promise<boolean>;
  /** Tells how far `attempt` has come; otherwise nothing happens. */
  noteProgress(owner: Owner, id: string, attempt: number, progress: Progress): Promise<void>;
  /**
   * Ends an execution that has not ended, if `attempt` still has it (null: whoever has it). Answers the finished
   * record, or null when refused. After `store_unavailable` a null can mean that the first try was done: look with `get`.
   */
  finish(owner: Owner, id: string, attempt: number | null, outcome: Outcome): Promise<ExecutionRecord | null>;
  /** Like `finish`, but only while the execution is queued. */
  finishQueued(owner: Owner, id: string, outcome: Outcome): Promise<ExecutionRecord | null>;
  /** queued or running → cancelling; what has ended stays. The record afterwards; null when unknown. (At most two round trips.) */
  markCancelling(owner: Owner, id: string): Promise<ExecutionRecord | null>;
  /** The claim for the newest retry of an execution; null: there is none. */
  retryOf(owner: Owner, id: string): Promise<RetryClaim | null>;
  /** Claims the next retry of an execution, unless its newest claim is no longer `previous`. False: another request claimed it. */
  claimRetry(owner: Owner, id: string, previous: RetryClaim | null, next: RetryClaim): Promise<boolean>;
  /** Withdraws a claim whose retry was not begun. */
  releaseRetry(owner: Owner, id: string, claim: RetryClaim): Promise<void>;
  /** For retention: what was made before `before` and has ended, over all owners, oldest first. */
  listOld(query: { before: Date; limit: number }): Promise<Pick<ExecutionRecord, 'id' | 'owner' | 'created_at'>[]>;
  removeMany(ids: string[]): Promise<void>;
  /** For webhooks: what has ended and is to be told of, over all owners, oldest first. */
  listWebhooksDue(limit: number): Promise<WebhookWish[]>;
  /** Their deliveries are stored: they are due no more. */
  noteWebhooks(ids: string[]): Promise<void>;
  /** The oldest execution of a session that has not ended; null: all have. */
  unfinishedOf(sessionId: string): Promise<string | null>;
  /** For deletions: executions of the owner's scope by id, deleted ones too. */
  listForDeletion(
    owner: Owner,
    of: DeletionSubject,
    page: { after: string; limit: number },
  ): Promise<DeletableExecution[]>;
  /** Deletes executions that have ended: hides them and keeps nothing but their usage. Can be repeated. */
  blank(ids: readonly string[]): Promise<void>;
  /** Whether an execution was deleted, of whichever owner. */
  isDeleted(id: string): Promise<boolean>;
  /** Those of the scope whose output quotes a knowledge entry. */
  listQuoting(entryId: string, limit: number): Promise<Pick<ExecutionRecord, 'id' | 'surface' | 'output'>[]>;
  /** Replaces the output of an execution that has ended. */
  setOutput(id: string, output: ExecutionRecord['output']): Promise<void>;
  /** Takes the file name of an asset out of the output of the execution that made it. False: it has not ended. */
  forgetFilename(id: string, assetId: string): Promise<boolean>;
  /** For sweeps: what has not ended, over all owners, oldest first; `after` is the last id of the page before. */
  listUnfinished(query: { olderThan: Date; limit: number; after?: string }): Promise<ExecutionRecord[]>;
}

export interface NewSession {
  id?: string;
  title: string | null;
  pinned: boolean;
  starred: boolean;
  agent_id?: string | null;
  metadata: Record<string, string>;
  /** Locked from birth by this execution. */
  active_execution_id?: string | null;
  message_count?: number;
}

/** Sessions are their maker's alone, in a workspace too. */
export interface SessionRepository {
  create(owner: Owner, session: NewSession): Promise<SessionRecord>;
  get(owner: Owner, id: string): Promise<SessionRecord | null>;
  /** Pinned first, then the newest update. Every word of `q` must be in the title, whatever its case. */
  list(owner: Owner, query: SessionQuery): Promise<Page<SessionRecord>>;
  /** Those of these that there are and that the filters let through, in no order; `untitled`: only those that `q` of this text would not list. */
  getMany(
    owner: Owner,
    ids: string[],
    filters: Pick<SessionQuery, 'pinned' | 'starred'> & { untitled?: string },
  ): Promise<SessionRecord[]>;
  patch(owner: Owner, id: string, patch: SessionPatch): Promise<SessionRecord | null>;
  /** Sets the title of a session that has none. */
  giveTitle(owner: Owner, id: string, title: string): Promise<void>;
  /** Takes a title away, if the session still has it. */
  clearTitle(owner: Owner, id: string, title: string): Promise<void>;
  /** Deletes the session (not its messages) unless a turn is running. Null: unknown. (Two round trips, three when refused.) */
  remove(owner: Owner, id: string): Promise<'deleted' | 'locked' | null>;
  /** Deletes a session that `executionId` has locked from birth: undoes `create`. */
  removeLocked(owner: Owner, id: string, executionId: string): Promise<void>;
  /**
   * Locks a free session for an execution that adds `messages` messages. Returns the position of the first of them.
   * The same execution may ask again. Null: unknown. (Two round trips when refused.)
   */
  lock(
    owner: Owner,
    id: string,
    executionId: string,
    messages: number,
  ): Promise<{ position: number; untitled: boolean } | { locked_by: string } | null>;
  /** Frees the session if `executionId` still has it, and takes back `removedMessages` of its count. */
  release(owner: Owner, id: string, executionId: string, removedMessages?: number): Promise<void>;
  /** Adds to the session's count of messages; a negative number takes away. */
  changeCount(owner: Owner, id: string, by: number): Promise<void>;
  /** For retention: sessions that nothing has been said in since `before`, over all owners, by id. */
  listIdle(query: { before: Date; limit: number; after?: string | undefined }): Promise<SessionRecord[]>;
  /** For sweeps: sessions locked before `olderThan` (and not before `since`), over all owners, the longest first. */
  listLocked(query: { olderThan: Date; limit: number; since?: Date }): Promise<SessionRecord[]>;
}

export interface CompletedMessage {
  content: string;
  status: ExecutionStatus;
  /** Absent: those that are stored stay. */
  citations?: CitationItem[];
  usage: Usage | null;
  /** The execution that wrote it: a message that another execution has begun anew since stays as it is. */
  execution_id: string;
}

/** What an edit, an undo or a new beginning makes of a message. */
export type MessageChange = Pick<MessageRecord, 'revision' | 'effective_revision' | 'content'> &
  Partial<Pick<MessageRecord, 'citations' | 'status' | 'usage' | 'voice' | 'execution_id'>>;

/** Messages are those of their session's maker. */
export interface MessageRepository {
  /** Stores what a turn adds in one step: the user's message, if it is new, and the assistant's, still empty. */
  insert(owner: Owner, messages: MessageRecord[]): Promise<void>;
  get(owner: Owner, id: string): Promise<MessageRecord | null>;
  /** Writes what the assistant said. Can be repeated. */
  complete(owner: Owner, id: string, completed: CompletedMessage): Promise<void>;
  /** Writes how it was spoken. Can be repeated. */
  setVoice(owner: Owner, id: string, voice: MessageVoice): Promise<void>;
  /** Changes a message that still has the revision `fromRevision`; else, and for an unknown one, null. */
  revise(owner: Owner, id: string, fromRevision: number, change: MessageChange): Promise<MessageRecord | null>;
  /** False: no such message. (Three round trips.) */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Of some messages those that are part of a conversation of the owner, each with its session. */
  placesOf(owner: Owner, ids: string[]): Promise<Map<string, string>>;
  /** The user's last message before a position, of the conversation as it stands. */
  lastOfUser(owner: Owner, sessionId: string, beforePosition: number): Promise<MessageRecord | null>;
  /** Takes the messages between two positions out of the conversation; answers how many. Can be repeated. */
  supersede(
    owner: Owner,
    sessionId: string,
    positions: { after: number; before: number },
    executionId: string,
  ): Promise<number>;
  /** Undoes `supersede`. */
  bringBack(owner: Owner, sessionId: string, executionId: string): Promise<number>;
  /** By position, the oldest first unless told otherwise. A cursor that is not ours throws `invalid_request`. */
  listBySession(
    owner: Owner,
    sessionId: string,
    query: ListQuery & { include_superseded?: boolean; order?: 'asc' | 'desc' },
  ): Promise<Page<MessageRecord>>;
  /**
   * The newest messages before a position that have content, oldest first: as many as fit, at least one; `dropped` tells whether there are more.
   * (More round trips for very long ones.)
   */
  context(
    owner: Owner,
    sessionId: string,
    beforePosition: number,
    limits: { maxMessages: number; maxBytes: number },
  ): Promise<{ messages: MessageRecord[]; dropped: boolean }>;
  /** Deletes the messages that one execution's turn added; answers how many there were. (Three round trips.) */
  removeTurn(owner: Owner, sessionId: string, executionId: string): Promise<number>;
  /** Deletes some messages of a session; answers their ids. Fewer than `limit`: none is left. (Three round trips.) */
  removeSome(owner: Owner, sessionId: string, limit: number): Promise<string[]>;
  /** Those that quote a knowledge entry, of all makers. */
  listQuoting(entryId: string, limit: number): Promise<QuotingText[]>;
  /** Replaces what a message says, if it still says what was read. */
  requote(read: QuotingText, quoted: Pick<QuotingText, 'content' | 'citations'>): Promise<void>;
}

/** A stored text with the quotes that belong to it. */
export interface QuotingText {
  id: string;
  content: string;
  citations: CitationItem[];
}

/** The history of messages. A message that was never changed has no rows: itself is its history. */
export interface MessageRevisionRepository {
  /** Keeps what a message says at its present revision, before it changes. Can be repeated. */
  keep(owner: Owner, row: MessageRevisionRecord): Promise<void>;
  /** Takes a revision's number for a change. False: another change has it. */
  claim(owner: Owner, row: MessageRevisionRecord): Promise<boolean>;
  get(owner: Owner, messageId: string, revision: number): Promise<MessageRevisionRecord | null>;
  /** Oldest first. A cursor that is not ours throws `invalid_request`. */
  list(owner: Owner, messageId: string, query: ListQuery): Promise<Page<MessageRevisionRecord>>;
  removeByMessage(owner: Owner, messageId: string): Promise<void>;
  /** Deletes some rows of a session; answers how many. Fewer than `limit`: none is left. (Two round trips.) */
  removeSome(owner: Owner, sessionId: string, limit: number): Promise<number>;
  /** As of messages. */
  listQuoting(entryId: string, limit: number): Promise<QuotingText[]>;
  requote(read: QuotingText, quoted: Pick<QuotingText, 'content' | 'citations'>): Promise<void>;
}

export interface SecretRepository {
  /** The secret of that name; `candidate` becomes it if there is none. All processes get the same one. */
  getOrCreate(name: string, candidate: string): Promise<string>;
  /** The next one who asks makes another. */
  remove(name: string): Promise<void>;
}

/** Requests that must not be done twice, each under its owner and key. */
export interface IdempotencyRepository {
  /** Takes the key; or answers what is remembered under it. (Two round trips then.) */
  begin(owner: Owner, key: string, record: IdempotencyRecord): Promise<IdempotencyRecord | null>;
  /** Takes the key of a request that began at `startedAt` and never ended. False: somebody was quicker. */
  retake(
    owner: Owner,
    key: string,
    startedAt: Date,
    again: Pick<IdempotencyRecord, 'execution_id' | 'started_at'>,
  ): Promise<boolean>;
  /** Points the key of a request that joined an execution at that one, in place of the id that was planned. */
  join(owner: Owner, key: string, planned: string, executionId: string): Promise<void>;
  /** Keeps the answer, which can be found by the ids in it. */
  complete(owner: Owner, key: string, answer: string): Promise<void>;
  /** Blanks all answers that name one of these records, and has their keys answered with 404. */
  forgetAnswers(ids: readonly string[]): Promise<void>;
  /** The request did nothing: its key is free again. */
  forget(owner: Owner, key: string): Promise<void>;
}

/** What executions cost, by scope: kept when the executions themselves are not. */
export interface UsageRepository {
  /** The rows of some days, both included, oldest first. (A round trip for each day that is not yet closed and summed up.) */
  report(owner: Owner, days: { from: string; to: string }): Promise<UsageRow[]>;
  /** Sums up one day of a scope for good: to be done before its executions are deleted. */
  close(scopeKey: string, day: string): Promise<void>;
}

/** Whom to forget. */
export type ErasureTarget = { readonly user_id: string } | { readonly workspace_id: string };

/** Forgets users and workspaces, whatever there is of them. */
export interface Erasure {
  /** What the target has executed, by id: a user in every scope, a workspace with all its members. */
  executions(
    target: ErasureTarget,
    page: { after?: string | undefined; limit: number },
  ): Promise<Pick<ExecutionRecord, 'id' | 'kind' | 'status' | 'owner'>[]>;
  /** The target's assets, by id: a user's in every scope, all of a workspace. Their bytes are to go before their records. */
  assets(target: ErasureTarget, page: { after?: string | undefined; limit: number }): Promise<string[]>;
  /** The target's knowledge entries, by id. Their chunks, vectors and files are to go before their records. */
  entries(target: ErasureTarget, page: { after?: string | undefined; limit: number }): Promise<KnowledgeRecord[]>;
  /** Ends batches that run, as they are; answers how many. Whoever feeds them lets go within a second or two. */
  stopBatches(target: ErasureTarget): Promise<number>;
  /** Workspaces with other members that would have no owner without this user. */
  ownedAlone(userId: string): Promise<{ id: string; name: string }[]>;
  /** Workspaces that have no member but this user, and those of the user that were deleted: nobody could reach them afterwards. */
  leftEmpty(userId: string): Promise<{ id: string; name: string }[]>;
  /** Workspaces without any member: those that were deleted. */
  empty(): Promise<{ id: string; name: string }[]>;
  /**
   * Deletes all records, the target's own last; answers how many by collection. Can be repeated. (Many round trips.)
   */
  erase(target: ErasureTarget): Promise<Record<string, number>>;
}

/** The stores of the platform's records. */
export interface Database {
  readonly executions: ExecutionRepository;
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly messageRevisions: MessageRevisionRepository;
  readonly idempotency: IdempotencyRepository;
  readonly usage: UsageRepository;
  readonly assets: AssetRepository;
  readonly storage: StorageRepository;
  readonly knowledge: KnowledgeRepository;
  readonly archive: ArchiveRepository;
  readonly archiveRevisions: ArchiveRevisionRepository;
  readonly knowledgeSpaces: KnowledgeSpaceRepository;
  readonly texts: TextRepository;
  readonly provenance: ProvenanceRepository;
  readonly webhookDeliveries: WebhookDeliveryRepository;
  readonly webhookSecrets: WebhookSecretRepository;
  readonly deletions: DeletionRepository;
  readonly erasure: Erasure;
  readonly users: UserRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly invitations: InvitationRepository;
  readonly agents: AgentRepository;
  readonly batches: BatchRepository;
  readonly batchItems: BatchItemRepository;
  readonly audit: AuditRepository;
  readonly workspaces: WorkspaceRepository;
  readonly refreshTokens: RefreshTokenRepository;
  readonly totp: TotpRepository;
  readonly signingKeys: SigningKeyRepository;
  readonly secrets: SecretRepository;
  /** Encrypts what is stored. Throws where the process was opened without the key. */
  readonly secretBox: Pick<SecretBox, 'seal' | 'open' | 'keyId'>;
  /** Throws `store_unavailable` when the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
