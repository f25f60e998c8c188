import type { ApiKeyStatus, AuditAction, Owner, Permission, Role } from '@chorus/contract';

/** An API key as stored: its secret only as a hash. */
export interface ApiKeyRecord {
  id: string;
  user_id: string;
  name: string;
  /** How the key begins: unique, and what it is looked up by. */
  prefix: string;
  secret_hash: string;
  status: ApiKeyStatus;
  permissions: Permission[];
  /** The one workspace that it is good for; null: wherever its user is. */
  workspace_id: string | null;
  /** Requests a minute; null: as its user's. */
  rate_limit: number | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

/** A second factor: codes that change with time (RFC 6238). */
export interface TotpRecord {
  user_id: string;
  /** Sealed. */
  secret: string;
  /** Null: it is not in use yet. */
  confirmed_at: Date | null;
  /** The time step of the last code that was used: none is good twice. */
  last_step: number;
  /** Of the recovery codes that are left. */
  recovery_hashes: string[];
  created_at: Date;
}

export interface InvitationRecord {
  id: string;
  workspace_id: string;
  /** In lower case. */
  email: string;
  role: Role;
  token_hash: string;
  invited_by: string;
  /** Whether an operator made it. Absent in records of older versions. */
  by_operator?: boolean;
  created_at: Date;
  expires_at: Date;
}

export interface MemberRecord {
  workspace_id: string;
  user_id: string;
  role: Role;
  created_at: Date;
}

export interface AgentRecord {
  id: string;
  owner: Owner;
  name: string;
  instructions: string | null;
  /** `provider/model` */
  model: string | null;
  temperature: number | null;
  knowledge_tags: string[];
  voice: string | null;
  /** Models that take over when the one before fails, in this order. */
  fallbacks: string[];
  created_at: Date;
  updated_at: Date;
}

export interface AuditRecord {
  id: string;
  scope_key: string;
  action: AuditAction;
  actor: { user_id: string | null; key_id: string | null; address: string | null };
  target: { type: string; id: string } | null;
  details: Record<string, string | number | boolean | null>;
  request_id: string | null;
  created_at: Date;
  /** When the store forgets it. */
  expires_at: Date;
}
