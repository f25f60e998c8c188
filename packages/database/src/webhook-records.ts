import type { Owner, Page, WebhookDeliveriesQuery, WebhookEvent, WebhookStatus } from '@chorus/contract';
import type { ExecutionRecord } from './records.ts';

/** One try to deliver. */
export interface WebhookAttempt {
  started_at: Date;
  duration_ms: number;
  /** HTTP status of the answer; null: none came. */
  status: number | null;
  error: string | null;
}

/** What is told to an address that a user named, and how far that has come. */
export interface WebhookDeliveryRecord {
  id: string;
  owner: Owner;
  event: WebhookEvent;
  /** What it tells of: one of these two. */
  execution_id: string | null;
  batch_id: string | null;
  /** Of an execution in a session: then it is its maker's alone. */
  session_id: string | null;
  url: string;
  /** The URL's host with its port: so many are tried there at once. */
  host: string;
  status: WebhookStatus;
  /** The last ones, oldest first. */
  attempts: WebhookAttempt[];
  attempt_count: number;
  /** When its delivery was first noted, or asked for again; and how often it has been tried since. */
  due_since: Date;
  tries: number;
  /** When it is tried next; while it is tried, when that must be over. Null: no more. */
  next_attempt_at: Date | null;
  created_at: Date;
  ended_at: Date | null;
  /** From then on it is no longer kept. */
  expires_at: Date;
}

/** An execution that has ended and is to be told of. */
export type WebhookWish = Pick<ExecutionRecord, 'id' | 'owner' | 'status' | 'session_id'> & {
  webhook_url: string;
  finished_at: Date;
};

/** Deliveries belong to a scope: members of a workspace share them, but those of a session's executions are their maker's alone. */
export interface WebhookDeliveryRepository {
  /** False: one with this id exists, and stays as it is. */
  insert(record: WebhookDeliveryRecord): Promise<boolean>;
  get(owner: Owner, id: string): Promise<WebhookDeliveryRecord | null>;
  /** Newest first. The cursor is the last id; another one throws `invalid_request`. */
  list(owner: Owner, query: WebhookDeliveriesQuery): Promise<Page<WebhookDeliveryRecord>>;
  /** What is to be tried by now, over all owners, the longest due first; not those to some hosts or of some scopes. */
  listDue(query: {
    now: Date;
    limit: number;
    exceptHosts: readonly string[];
    exceptScopes: readonly string[];
  }): Promise<WebhookDeliveryRecord[]>;
  /** Takes one for an attempt that is over by `until`: false where somebody else has. */
  claim(record: WebhookDeliveryRecord, until: Date): Promise<boolean>;
  /** Gives back one that was claimed and not tried after all. */
  release(id: string, claimedUntil: Date, next: Date): Promise<void>;
  /** Writes down an attempt, and what follows from it unless the delivery was asked for again meanwhile. */
  settle(
    id: string,
    claimedUntil: Date,
    attempt: WebhookAttempt,
    next: Pick<WebhookDeliveryRecord, 'status' | 'next_attempt_at' | 'ended_at'>,
  ): Promise<void>;
  /** Makes one due again, whatever has become of it. Null: unknown. */
  restart(owner: Owner, id: string, now: Date, expiresAt: Date): Promise<WebhookDeliveryRecord | null>;
}

/** What the webhooks of a scope are signed with. */
export interface WebhookSecretRecord {
  secret: string;
  created_at: Date;
  /** Those before it, which sign too for a while, oldest first. */
  previous: { secret: string; until: Date }[];
}

export interface WebhookSecretRepository {
  /** The secret of a scope; `candidate` becomes it if there is none. All processes get the same one. */
  getOrCreate(scopeKey: string, candidate: string): Promise<WebhookSecretRecord>;
  /** Puts `fresh` in the place of `current`, which goes on signing until then. Null: another has taken its place already. */
  replace(scopeKey: string, current: string, fresh: string, until: Date): Promise<WebhookSecretRecord | null>;
}
