import type { AuditEntry } from '@chorus/client';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';

export const actionLabels: Readonly<Record<AuditEntry['action'], MessageKey>> = {
  'login.succeeded': 'settings.auditLoginSucceeded',
  'login.failed': 'settings.auditLoginFailed',
  'login.ended': 'settings.auditLoginEnded',
  'login.token_reused': 'settings.auditLoginTokenReused',
  'identity.linked': 'settings.auditIdentityLinked',
  'password.changed': 'settings.auditPasswordChanged',
  'totp.enabled': 'settings.auditTotpEnabled',
  'totp.disabled': 'settings.auditTotpDisabled',
  'totp.reset': 'settings.auditTotpReset',
  'totp.recovery_code_used': 'settings.auditTotpRecoveryCodeUsed',
  'totp.recovery_codes_renewed': 'settings.auditTotpRecoveryCodesRenewed',
  'user.created': 'settings.auditUserCreated',
  'user.disabled': 'settings.auditUserDisabled',
  'user.enabled': 'settings.auditUserEnabled',
  'user.left': 'settings.auditUserLeft',
  'user.operator_granted': 'settings.auditUserOperatorGranted',
  'user.operator_revoked': 'settings.auditUserOperatorRevoked',
  'api_key.created': 'settings.auditApiKeyCreated',
  'api_key.disabled': 'settings.auditApiKeyDisabled',
  'api_key.enabled': 'settings.auditApiKeyEnabled',
  'api_key.revoked': 'settings.auditApiKeyRevoked',
  'workspace.created': 'settings.auditWorkspaceCreated',
  'workspace.renamed': 'settings.auditWorkspaceRenamed',
  'workspace.deleted': 'settings.auditWorkspaceDeleted',
  'member.added': 'settings.auditMemberAdded',
  'member.role_changed': 'settings.auditMemberRoleChanged',
  'member.removed': 'settings.auditMemberRemoved',
  'member.left': 'settings.auditMemberLeft',
  'invitation.created': 'settings.auditInvitationCreated',
  'invitation.accepted': 'settings.auditInvitationAccepted',
  'invitation.revoked': 'settings.auditInvitationRevoked',
  'budget.changed': 'settings.auditBudgetChanged',
  'webhook_secret.rotated': 'settings.auditWebhookSecretRotated',
  'signing_key.rotated': 'settings.auditSigningKeyRotated',
  'signing_key.revoked': 'settings.auditSigningKeyRevoked',
  'secret_key.rotated': 'settings.auditSecretKeyRotated',
  'provider_key.set': 'settings.auditProviderKeySet',
  'provider_key.removed': 'settings.auditProviderKeyRemoved',
  'provider.stopped': 'settings.auditProviderStopped',
  'provider.resumed': 'settings.auditProviderResumed',
  'lane.resumed': 'settings.auditLaneResumed',
  'model_settings.changed': 'settings.auditModelSettingsChanged',
  'limits.changed': 'settings.auditLimitsChanged',
  'mcp_server.created': 'settings.auditMcpServerCreated',
  'mcp_server.changed': 'settings.auditMcpServerChanged',
  'mcp_server.deleted': 'settings.auditMcpServerDeleted',
  'tool_api.created': 'settings.auditToolApiCreated',
  'tool_api.changed': 'settings.auditToolApiChanged',
  'tool_api.deleted': 'settings.auditToolApiDeleted',
  'agent.deleted': 'settings.auditAgentDeleted',
  'prompt.deleted': 'settings.auditPromptDeleted',
  'archive_unit.deleted': 'settings.auditArchiveUnitDeleted',
  'asset.deleted': 'settings.auditAssetDeleted',
  'batch.deleted': 'settings.auditBatchDeleted',
  'tool_call.approved': 'settings.auditToolCallApproved',
  'tool_call.denied': 'settings.auditToolCallDenied',
  'execution.cancelled_by_operator': 'settings.auditExecutionCancelled',
  'execution.retried_by_operator': 'settings.auditExecutionRetried',
  'execution.deleted': 'settings.auditExecutionDeleted',
  'knowledge.deleted': 'settings.auditKnowledgeDeleted',
  'session.deleted': 'settings.auditSessionDeleted',
  'share.created': 'settings.auditShareCreated',
  'share.revoked': 'settings.auditShareRevoked',
  'message.deleted': 'settings.auditMessageDeleted',
};

/**
 * Describes who performed an action.
 *
 * @param nameOf returns a user's email by id
 */
export function describeActor({ type, user_id, address }: AuditEntry['actor'], nameOf: (id: string) => string): string {
  if (type === 'command') return t('settings.actorCommand');
  const name = user_id === null ? t('settings.actorSignedOut') : nameOf(user_id);
  const actor = user_id !== null && type === 'api_key' ? t('settings.actorWithKey', { name }) : name;
  return address === null ? actor : t('settings.actorFrom', { actor, address });
}

/** Describes what an action changed, without repeating its label. */
export function describeTarget(
  { actor, target, details }: Pick<AuditEntry, 'actor' | 'target' | 'details'>,
  nameOf: (id: string) => string,
): string[] {
  const isPerson = target?.type === 'user';
  const people = isPerson && target.id !== actor.user_id && details.email === undefined ? [nameOf(target.id)] : [];
  const facts = Object.entries(details).flatMap(([name, value]) => {
    if (value === null) return [];
    // Names need no label.
    return name === 'name' || name === 'email' || name === 'title'
      ? [`${value}`]
      : [`${name.replaceAll('_', ' ')}: ${value}`];
  });
  return [...people, ...facts];
}
