import { type Actor, type AuditLog, ChorusError, type Owner, scopeKey, type WebhookSecret } from '@chorus/contract';
import type { Database, WebhookSecretRecord } from '@chorus/database';
import { newSecret } from './signature.ts';

/** How long a replaced secret still signs. */
const OVERLAP_MS = 86_400_000;

/** Limits retries after concurrent rotations. */
const MAX_TRIES = 10;

type Stores = Pick<Database, 'webhookSecrets'>;

/** Returns the secret of a scope, and creates it on first use. */
export async function getSecret({ webhookSecrets }: Stores, owner: Owner): Promise<WebhookSecret> {
  return presentSecret(await webhookSecrets.getOrCreate(scopeKey(owner), newSecret()));
}

/**
 * Replaces the secret of a scope. The previous one also signs for a day.
 *
 * @throws {ChorusError} conflict after too many concurrent rotations
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
    // Another call has rotated it: start from its secret.
    if (rotated === null) continue;
    await audit.record(actor, { scope_key: scope, action: 'webhook_secret.rotated', target: null });
    return presentSecret(rotated);
  }
  throw new ChorusError('conflict', 'The secret is being rotated by other requests. Try again.', { retryAfterS: 1 });
}

/** Returns the secrets that sign a scope's webhooks now, newest first. */
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
