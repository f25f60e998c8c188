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
  'identity.linked',
  'totp.enabled',
  'totp.disabled',
  'totp.reset',
  'totp.recovery_code_used',
  'totp.recovery_codes_renewed',
  'user.created',
  'user.disabled',
  'user.enabled',
  'user.left',
  'user.operator_granted',
  'user.operator_revoked',
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
  'budget.changed',
  'webhook_secret.rotated',
  'signing_key.rotated',
  'signing_key.revoked',
  'secret_key.rotated',
  'provider_key.set',
  'provider_key.removed',
  'provider.stopped',
  'provider.resumed',
  'lane.resumed',
  'model_settings.changed',
  'limits.changed',
  'mcp_server.created',
  'mcp_server.changed',
  'mcp_server.deleted',
  'tool_api.created',
  'tool_api.changed',
  'tool_api.deleted',
  'agent.deleted',
  'prompt.deleted',
  'archive_unit.deleted',
  'asset.deleted',
  'batch.deleted',
  'tool_call.approved',
  'tool_call.denied',
  'execution.cancelled_by_operator',
  'execution.deleted',
  'execution.retried_by_operator',
  'knowledge.deleted',
  'session.deleted',
  'share.created',
  'share.revoked',
  'message.deleted',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The user behind an action. Null ids: a command on the server, or someone who is not logged in. */
export interface Actor {
  readonly user_id: string | null;
  readonly key_id: string | null;
  /** The client's IP address. Null: a command on the server. */
  readonly address: string | null;
  readonly request_id: string | null;
}

/** A command on the server, or the server itself. */
export const NO_ACTOR: Actor = { user_id: null, key_id: null, address: null, request_id: null };

/** An audited action. `details` contains names, roles and the like, never secrets or content. */
export interface AuditFact {
  /** The scope whose log shows it: `personal:usr_…` or `workspace:<uuid>`. */
  readonly scope_key: string;
  readonly action: AuditAction;
  readonly target: { readonly type: string; readonly id: string } | null;
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Records audited actions. Never fails: entries that can't be stored are logged instead. */
export interface AuditLog {
  record(actor: Actor, ...facts: AuditFact[]): Promise<void>;
}

/** The actor and the audit log, for domain functions that delete. */
export interface AuditContext {
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
  user_id: idSchema('user').optional().describe('Only actions of this user.'),
});
export type AuditQuery = z.infer<typeof auditQuery>;
