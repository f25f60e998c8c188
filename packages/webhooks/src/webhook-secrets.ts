import { type Actor, type AuditLog, ChorusError, type Owner, scopeKey, type WebhookSecret } from '@chorus/contract';
import type { Database, WebhookSecretRecord } from '@chorus/database';
import { newSecret } from './signature.ts';

/** How long a secret still signs when another has taken its place. */
const OVERLAP_MS = 86_400_000;

/** How many others may rotate it at the same moment. */
const MAX_TRIES = 10;

type Stores = Pick<Database, 'webhookSecrets'>;

/** The secret of a scope, made when it is first asked for. */
export async function getSecret({ webhookSecrets }: Stores, owner: Owner): Promise<WebhookSecret> {
  return presentSecret(await webhookSecrets.getOrCreate(scopeKey(owner), newSecret()));
}

/**
 * Gives a scope a fresh secret; the one before it signs too for another day.
 *
 * @throws {ChorusError} conflict: many rotate it at this moment
 */
export async function rotateSecret(
  { webhookSecrets }: Stores,
  audit: AuditLog,
  actor: Actor,
  owner: Owner,
): Promise<WebhookSecret> {
  const scope = scopeKey(owner);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { secret } = await webhookSecrets.getOrCreate(scope, newSecret());
    const rotated = await webhookSecrets.replace(scope, secret, newSecret(), new Date(Date.now() + OVERLAP_MS));
    // Somebody else has just rotated it: theirs is the one to follow.
    if (rotated === null) continue;
    await audit.record(actor, { scope_key: scope, action: 'webhook_secret.rotated', target: null });
    return presentSecret(rotated);
  }
  throw new ChorusError('conflict', 'The secret is rotated by others at this moment.', { retryAfterS: 1 });
}

/** All that a scope's webhooks are signed with now, the newest first. */
export async function signingSecrets({ webhookSecrets }: Stores, owner: Owner, now: Date): Promise<string[]> {
  const { secret, previous } = await webhookSecrets.getOrCreate(scopeKey(owner), newSecret());
  const older = previous.filter(({ until }) => until > now).map((one) => one.secret);
  return [secret, ...older.reverse()];
}

function presentSecret({ secret, created_at, previous }: WebhookSecretRecord): WebhookSecret {
  const until = previous.at(-1)?.until;
  return {
    object: 'webhook_secret',
    secret,
    created_at: created_at.toISOString(),
    previous_valid_until: until !== undefined && until > new Date() ? until.toISOString() : null,
  };
}
