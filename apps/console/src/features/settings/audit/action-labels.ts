import type { AuditEntry } from '@chorus/client';

export const actionLabels: Readonly<Record<AuditEntry['action'], string>> = {
  'login.succeeded': 'Signed in',
  'login.failed': 'Failed to sign in: wrong password or code',
  'login.ended': 'Signed out',
  'login.token_reused': 'Login ended because an old refresh token was reused',
  'identity.linked': 'Linked an account of the identity provider',
  'password.changed': 'Changed the password',
  'totp.enabled': 'Turned on two-factor authentication',
  'totp.disabled': 'Turned off two-factor authentication',
  'totp.reset': 'Reset two-factor authentication of a user',
  'totp.recovery_code_used': 'Signed in with a recovery code',
  'totp.recovery_codes_renewed': 'Renewed recovery codes',
  'user.created': 'Created a user',
  'user.disabled': 'Disabled a user',
  'user.enabled': 'Enabled a user',
  'user.operator_granted': 'Made a user an operator',
  'user.operator_revoked': 'Took operator rights from a user',
  'api_key.created': 'Created an API key',
  'api_key.disabled': 'Disabled an API key',
  'api_key.enabled': 'Enabled an API key',
  'api_key.revoked': 'Revoked an API key',
  'workspace.created': 'Created the workspace',
  'workspace.renamed': 'Renamed the workspace',
  'workspace.deleted': 'Deleted the workspace',
  'member.added': 'Added a member',
  'member.role_changed': 'Changed the role of a member',
  'member.removed': 'Removed a member',
  'member.left': 'Left the workspace',
  'invitation.created': 'Invited someone',
  'invitation.accepted': 'Accepted an invitation',
  'invitation.revoked': 'Revoked an invitation',
  'budget.changed': 'Changed a budget',
  'webhook_secret.rotated': 'Rotated the webhook secret',
  'signing_key.rotated': 'Rotated the signing key',
  'signing_key.revoked': 'Revoked all signing keys',
  'secret_key.rotated': 'Rotated the secret key',
  'provider_key.set': 'Stored the key of a provider',
  'provider_key.removed': 'Removed the key of a provider',
  'model_settings.changed': 'Changed the default models or fallbacks',
  'mcp_server.created': 'Registered an MCP server',
  'mcp_server.changed': 'Changed an MCP server',
  'mcp_server.deleted': 'Deleted an MCP server',
  'tool_api.created': 'Registered an API',
  'tool_api.changed': 'Changed an API',
  'tool_api.deleted': 'Deleted an API',
  'agent.deleted': 'Deleted an agent',
  'prompt.deleted': 'Deleted a prompt',
  'archive_unit.deleted': 'Deleted an archive entry',
  'asset.deleted': 'Deleted a file',
  'batch.deleted': 'Deleted a batch',
  'tool_call.approved': 'Approved a tool call',
  'tool_call.denied': 'Denied a tool call',
  'execution.deleted': 'Deleted a job',
  'knowledge.deleted': 'Deleted a document',
  'session.deleted': 'Deleted a conversation',
  'share.created': 'Shared a conversation by link',
  'share.revoked': 'Revoked a link to a conversation',
  'message.deleted': 'Deleted a message',
};

/**
 * Describes who performed an action.
 *
 * @param nameOf returns a user's email by id
 */
export function describeActor({ type, user_id, address }: AuditEntry['actor'], nameOf: (id: string) => string): string {
  const from = address === null ? '' : ` from ${address}`;
  if (type === 'command') return 'a command on the server';
  if (user_id === null) return `someone who was not signed in${from}`;
  return `${nameOf(user_id)}${type === 'api_key' ? ' with an API key' : ''}${from}`;
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
