import {
  type Actor,
  type ApiKey,
  type ApiKeyCreate,
  type ApiKeyStatus,
  type AuditAction,
  type AuditLog,
  ChorusError,
  type CreatedApiKey,
  checkRecordLimit,
  type ListQuery,
  newId,
  type Page,
  personalScope,
  type User,
  workspaceScope,
} from '@chorus/contract';
import type { ApiKeyRecord, Database } from '@chorus/database';
import { generateApiKey, hashApiKey, isApiKeyOf, lookupPrefix } from './api-key-secrets.ts';
import type { KeyLimits } from './credential.ts';
import type { KeyUse } from './key-use.ts';
import { VersionedCache } from './versioned-cache.ts';
import type { Versions } from './versions.ts';

/** API keys of users. Changes reach all processes within a second, or throw `store_unavailable`. */
export interface ApiKeys {
  /**
   * Creates a key. Only this answer contains the key itself.
   * @throws {ChorusError} invalid_request for a workspace the user is not a member of, or an `operator`
   * permission that is not allowed
   */
  create(actor: Actor, user: Pick<User, 'id' | 'operator'>, wanted: ApiKeyCreate): Promise<CreatedApiKey>;
  /**
   * Lists keys, newest first.
   * @param only limits the list to keys bound to this workspace
   */
  list(userId: string, query: ListQuery, only?: string | null): Promise<Page<ApiKey>>;
  /**
   * Revokes a key permanently. Idempotent.
   * @throws {ChorusError} not_found
   */
  revoke(actor: Actor, userId: string, id: string): Promise<ApiKey>;
  revokeAll(actor: Actor, userId: string): Promise<number>;
  /** @throws {ChorusError} not_found; key_revoked */
  setDisabled(actor: Actor, userId: string, id: string, disabled: boolean): Promise<ApiKey>;
  /**
   * Authenticates a key: one indexed read, or none if it was used a moment ago.
   * @throws {ChorusError} unauthorized
   */
  verify(secret: string): Promise<{ userId: string; key: KeyLimits }>;
  check(userId: string, id: string): Promise<KeyLimits>;
}

export interface ApiKeyParts {
  database: Pick<Database, 'apiKeys' | 'workspaces'>;
  versions: Versions;
  audit: AuditLog;
  use: KeyUse;
}

const CACHE = { limit: 10_000, ttlMs: 5_000 };
const AUDITED: Record<ApiKeyStatus, AuditAction> = {
  active: 'api_key.enabled',
  disabled: 'api_key.disabled',
  revoked: 'api_key.revoked',
};

export function createApiKeys({ database, versions, audit, use }: ApiKeyParts): ApiKeys {
  const { apiKeys, workspaces } = database;
  const known = new VersionedCache<ApiKeyRecord>(versions, 'keys', CACHE);

  const note = (actor: Actor, action: AuditAction, { id, user_id, name, prefix, workspace_id }: ApiKeyRecord) => {
    const fact = { action, target: { type: 'api_key', id }, details: { name, prefix } };
    const scopes = [personalScope(user_id), ...(workspace_id === null ? [] : [workspaceScope(workspace_id)])];
    return audit.record(actor, ...scopes.map((scope_key) => ({ ...fact, scope_key })));
  };

  const setStatus = async (actor: Actor, userId: string, id: string, status: ApiKeyStatus): Promise<ApiKey> => {
    const changed = await apiKeys.setStatus(userId, id, status);
    if (changed !== null) {
      await note(actor, AUDITED[status], changed);
      await versions.changed('keys');
      return presentApiKey(changed);
    }
    const found = await apiKeys.get(userId, id);
    if (found === null) throw new ChorusError('not_found', 'There is no such API key.');
    if (status !== 'revoked') throw new ChorusError('key_revoked', 'This API key has been revoked permanently.');
    // Repeated, because an earlier call may have failed to notify other processes.
    await versions.changed('keys');
    return presentApiKey(found);
  };

  const limitsOf = ({ id, status, expires_at, permissions, workspace_id, rate_limit }: ApiKeyRecord): KeyLimits => {
    if (status !== 'active') throw refused(`is ${status}`);
    if (expires_at !== null && expires_at <= new Date()) throw refused('has expired');
    use.note(id);
    return { id, permissions, workspace_id, rate_limit };
  };

  return {
    create: async (actor, user, { name, permissions, workspace_id = null, expires_at = null, rate_limit = null }) => {
      if (permissions.includes('operator')) {
        if (!user.operator) throw invalid('permissions', 'operator is only available to operators');
        if (workspace_id !== null)
          throw invalid('permissions', 'operator cannot be given to a key bound to one workspace');
      }
      if (workspace_id !== null && (await workspaces.membership(workspace_id, user.id)) === null)
        throw invalid('workspace_id', 'must be one of your workspaces');
      await checkRecordLimit('apiKeys', (most) => apiKeys.countActive(user.id, most));
      const secret = generateApiKey();
      const record: ApiKeyRecord = {
        id: newId('apiKey'),
        user_id: user.id,
        name,
        prefix: lookupPrefix(secret) ?? '',
        secret_hash: hashApiKey(secret),
        status: 'active',
        permissions,
        workspace_id,
        rate_limit,
        expires_at,
        last_used_at: null,
        created_at: new Date(),
      };
      await apiKeys.insert(record);
      await note(actor, 'api_key.created', record);
      return { ...presentApiKey(record), secret };
    },
    list: async (userId, query, only = null) => {
      await use.flush();
      const page = await apiKeys.list(userId, query, only);
      return { ...page, data: page.data.map(presentApiKey) };
    },
    revoke: (actor, userId, id) => setStatus(actor, userId, id, 'revoked'),
    revokeAll: async (actor, userId) => {
      let revoked = 0;
      let after: string | undefined;
      do {
        const page = await apiKeys.list(userId, { limit: 100, after });
        for (const { id, status } of page.data) {
          const changed = status === 'revoked' ? null : await apiKeys.setStatus(userId, id, 'revoked');
          if (changed === null) continue;
          revoked += 1;
          await note(actor, 'api_key.revoked', changed);
        }
        after = page.next_cursor ?? undefined;
      } while (after !== undefined);
      await versions.changed('keys');
      return revoked;
    },
    setDisabled: (actor, userId, id, disabled) => setStatus(actor, userId, id, disabled ? 'disabled' : 'active'),
    verify: async (secret) => {
      const prefix = lookupPrefix(secret);
      if (prefix === null) throw refused('is not valid');
      const found = await known.get(prefix, () => apiKeys.findByPrefix(prefix));
      if (found === null || !isApiKeyOf(found.secret_hash, secret)) throw refused('is not valid');
      return { userId: found.user_id, key: limitsOf(found) };
    },
    check: async (userId, id) => {
      const found = await apiKeys.get(userId, id);
      if (found === null) throw refused('is not valid');
      return limitsOf(found);
    },
  };
}

function invalid(field: string, message: string): ChorusError {
  const path = `body.${field}`;
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

function refused(why: string): ChorusError {
  return new ChorusError('unauthorized', `This API key ${why}.`);
}

function presentApiKey(record: ApiKeyRecord): ApiKey {
  const { id, name, prefix, status, permissions, workspace_id, rate_limit } = record;
  return {
    id,
    object: 'api_key',
    name,
    prefix,
    status,
    permissions,
    workspace_id,
    rate_limit,
    expires_at: record.expires_at?.toISOString() ?? null,
    last_used_at: record.last_used_at?.toISOString() ?? null,
    created_at: record.created_at.toISOString(),
  };
}
