import type {
  ConversationContext,
  ErrorBody,
  Execution,
  Message,
  MessageRevision,
  OutputItem,
  Owner,
  Progress,
  Session,
  TerminalStatus,
  Usage,
} from '@chorus/contract';

/** An execution as stored. Its public face (`urls`, ISO times, OpenAI's names) is made by the API. */
export interface ExecutionRecord
  extends Omit<Execution, 'urls' | 'object' | 'user_id' | 'output' | 'created_at' | 'started_at' | 'finished_at'> {
  output: OutputItem[];
  owner: Owner;
  /** The API key that it was begun with, if it was one. */
  api_key_id: string | null;
  /** The job's input, as the queue carries it. */
  input: Record<string, unknown>;
  /** What an attempt has left for the next one: plain JSON, shown to nobody. */
  checkpoint: unknown;
  /** Why the model stopped, in OpenAI's words; null before the end. */
  finish_reason: string | null;
  /** Where its end is to be told. */
  webhook_url: string | null;
  request_id: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** How an execution ended: written once, together with its terminal status. */
export interface Outcome {
  status: TerminalStatus;
  output: OutputItem[];
  usage: Usage;
  error: ErrorBody | null;
  model: string | null;
  provider: string | null;
  finish_reason: string | null;
  /** Absent: what is stored stays. */
  context?: ConversationContext | null;
  /** Absent: what is stored stays. */
  warnings?: string[];
  /** Absent: what is stored stays. */
  progress?: Progress | null;
  finished_at: Date;
  /** When the work began, for those that never were marked as running; what is stored earlier stays. */
  started_at?: Date | null;
}

export interface SessionRecord extends Omit<Session, 'object' | 'created_at' | 'updated_at'> {
  owner: Owner;
  /** Position of the next message; never goes back. */
  next_position: number;
  /** Since when `active_execution_id` holds the session; null when it is free. */
  locked_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface MessageRecord extends Omit<Message, 'object' | 'voice' | 'created_at' | 'updated_at'> {
  owner: Owner;
  /** Absent: it was not spoken. */
  voice?: Message['voice'];
  /** Place within the session, from 0; unique there, gaps are possible. */
  position: number;
  /** The revision whose content this is: an earlier one after an undo. */
  effective_revision: number;
  created_at: Date;
  updated_at: Date;
}

/** One step of a message's history, written before the message itself changes. */
export interface MessageRevisionRecord extends Omit<MessageRevision, 'object' | 'created_at'> {
  owner: Owner;
  session_id: string;
  /** The revision that an undo of this one goes back to; null: there is nothing before it. */
  undo_to: number | null;
  created_at: Date;
}

/** What is remembered of a request that carried an `Idempotency-Key`. */
export interface IdempotencyRecord {
  /** Hash of method, path and body: another request may not use the key. */
  fingerprint: string;
  /** The execution that the request began or is beginning; null where it begins none. */
  execution_id: string | null;
  /** The answer's body as JSON, for requests that begin no execution; null until they have ended. */
  answer: string | null;
  /** What the request made was deleted: its answer is gone. */
  gone?: boolean;
  started_at: Date;
  expires_at: Date;
}

export interface UserRecord {
  id: string;
  /** In lower case, unique. */
  email: string;
  password_hash: string;
  operator: boolean;
  /** A disabled user can neither log in nor use tokens that are still valid. */
  disabled_at: Date | null;
  created_at: Date;
}

export interface WorkspaceRecord {
  /** A bare UUID. */
  id: string;
  name: string;
  created_at: Date;
}

/** A key that signs access tokens. The newest generation signs, the older ones only verify. */
export interface SigningKeyRecord {
  /** The `kid` of its tokens. */
  id: string;
  /** 1, 2, …: unique, so that two processes cannot both make the same generation. */
  generation: number;
  algorithm: 'EdDSA';
  public_jwk: Record<string, string>;
  private_jwk: Record<string, string>;
  created_at: Date;
}

/** One use of a refresh token: its hash and when it was used. */
export interface RefreshRotation {
  hash: string;
  at: Date;
}

/** All refresh tokens that follow from one login: one document, so that using a token is one atomic step. */
export interface RefreshFamilyRecord {
  id: string;
  user_id: string;
  /** Hash of the one token that is good now. */
  current_hash: string;
  /** The last uses, oldest first: they answer a retry, and show what is a reuse. */
  rotations: RefreshRotation[];
  /** From where, and by what, it was last used. Absent in records of older versions. */
  address?: string | null;
  user_agent?: string | null;
  revoked_at: Date | null;
  created_at: Date;
  expires_at: Date;
}
