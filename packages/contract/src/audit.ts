import { z } from 'zod';
import { boundedRecord } from './bounded.ts';
import { idSchema } from './ids.ts';
import { listQuery } from './list.ts';

export const AUDIT_ACTIONS = [
  'login.succeeded',
  'login.failed',
  'login.ended',
  'login.token_reused',
  'password.changed',
  'totp.enabled',
  'totp.disabled',
  'totp.reset',
  'totp.recovery_code_used',
  'totp.recovery_codes_renewed',
  'user.created',
  'user.disabled',
  'user.enabled',
  'api_key.created',
  'api_key.disabled',
  'api_key.enabled',
  'api_key.revoked',
  'workspace.created',
  'workspace.renamed',
  'workspace.deleted',
  'member.added',
  'member.role_changed',
  'member.removed',
  'member.left',
  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
  'webhook_secret.rotated',
  'signing_key.rotated',
  'signing_key.revoked',
  'secret_key.rotated',
  'agent.deleted',
  'archive_unit.deleted',
  'asset.deleted',
  'batch.deleted',
  'execution.deleted',
  'knowledge.deleted',
  'session.deleted',
  'message.deleted',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who does something. Nobody of those: a command on the server, or somebody who is not logged in. */
export interface Actor {
  readonly user_id: string | null;
  /** The API key that was used. */
  readonly key_id: string | null;
  /** The client's IP address; null: a command on the server. */
  readonly address: string | null;
  readonly request_id: string | null;
}

/** What was done to what. `details` hold names, roles and the like, never a secret and never content. */
export interface AuditFact {
  /** Where it can be read: `personal:usr_…` or `workspace:<uuid>`. */
  readonly scope_key: string;
  readonly action: AuditAction;
  readonly target: { readonly type: string; readonly id: string } | null;
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Where the domain's functions tell what they did. Never fails: what can't be stored goes to the log. */
export interface AuditLog {
  record(actor: Actor, ...facts: AuditFact[]): Promise<void>;
}

/** Who does it, and where it is told: for functions of the domain that delete. */
export interface Deed {
  readonly actor: Actor;
  readonly audit: AuditLog;
}

export const auditEntry = z.object({
  id: z.string().describe('`aud_…`'),
  object: z.literal('audit_entry'),
  action: z.enum(AUDIT_ACTIONS),
  actor: z.object({
    type: z.enum(['user', 'api_key', 'command', 'nobody']).describe('`nobody`: not logged in'),
    user_id: z.string().nullable(),
    key_id: z.string().nullable(),
    address: z.string().nullable(),
  }),
  target: z.object({ type: z.string(), id: z.string() }).nullable(),
  details: boundedRecord(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]), 50),
  request_id: z.string().nullable(),
  created_at: z.iso.datetime(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditQuery = listQuery.extend({
  action: z.enum(AUDIT_ACTIONS).optional(),
  user_id: idSchema('user').optional().describe('What this user did.'),
});
export type AuditQuery = z.infer<typeof auditQuery>;
