import type { AuditEntry } from '@chorus/client';

/** What was done, said in words. */
export const auditWords: Readonly<Record<AuditEntry['action'], string>> = {
  'login.succeeded': 'Signed in',
  'login.failed': 'Could not sign in: wrong password or code',
  'login.ended': 'Signed out',
  'login.token_reused': 'An old login was used again; it was ended',
  'password.changed': 'Changed the password',
  'totp.enabled': 'Turned on two-factor authentication',
  'totp.disabled': 'Turned off two-factor authentication',
  'totp.reset': 'Reset the two-factor authentication of a user',
  'totp.recovery_code_used': 'Signed in with a recovery code',
  'totp.recovery_codes_renewed': 'Got new recovery codes',
  'user.created': 'Made a user',
  'user.disabled': 'Disabled a user',
  'user.enabled': 'Enabled a user again',
  'api_key.created': 'Made an API key',
  'api_key.disabled': 'Disabled an API key',
  'api_key.enabled': 'Enabled an API key again',
  'api_key.revoked': 'Revoked an API key',
  'workspace.created': 'Made the workspace',
  'workspace.renamed': 'Renamed the workspace',
  'workspace.deleted': 'Deleted the workspace',
  'member.added': 'Added a member',
  'member.role_changed': 'Changed the role of a member',
  'member.removed': 'Removed a member',
  'member.left': 'Left the workspace',
  'invitation.created': 'Invited somebody',
  'invitation.accepted': 'Accepted an invitation',
  'invitation.revoked': 'Took an invitation back',
  'webhook_secret.rotated': 'Renewed the secret of the webhooks',
  'signing_key.rotated': 'Rotated the signing key',
  'signing_key.revoked': 'Revoked all signing keys',
  'secret_key.rotated': 'Rotated the secret key',
  'agent.deleted': 'Deleted an agent',
  'archive_unit.deleted': 'Deleted a text of the archive',
  'asset.deleted': 'Deleted a file',
  'batch.deleted': 'Deleted a batch',
  'execution.deleted': 'Deleted a job',
  'knowledge.deleted': 'Deleted a document',
  'session.deleted': 'Deleted a conversation',
  'message.deleted': 'Deleted a message',
};

/** Who did it. @param nameOf a person's e-mail by their id */
export function actorWords({ type, user_id, address }: AuditEntry['actor'], nameOf: (id: string) => string): string {
  const from = address === null ? '' : ` from ${address}`;
  if (type === 'command') return 'a command on the server';
  if (user_id === null) return `somebody who was not signed in${from}`;
  return `${nameOf(user_id)}${type === 'api_key' ? ', by an API key' : ''}${from}`;
}

/** What it was done to, as far as it is not said yet. */
export function targetWords(
  { actor, target, details }: Pick<AuditEntry, 'actor' | 'target' | 'details'>,
  nameOf: (id: string) => string,
): string[] {
  const isPerson = target?.type === 'user';
  const others = isPerson && target.id !== actor.user_id && details.email === undefined ? [nameOf(target.id)] : [];
  const facts = Object.entries(details).flatMap(([name, value]) => {
    if (value === null) return [];
    // What is called by its name needs no other word.
    return name === 'name' || name === 'email' || name === 'title'
      ? [`${value}`]
      : [`${name.replaceAll('_', ' ')}: ${value}`];
  });
  return [...others, ...facts];
}
