import { auditForOperators } from '@chorus/accounts';
import {
  type Actor,
  type AuditAction,
  ChorusError,
  KEYED_PROVIDERS,
  type KeyedProvider,
  type ProviderEntry,
  type ProviderKeySet,
  type ProviderTestResult,
  type StoredProviderKey,
} from '@chorus/contract';
import { announceSettings } from '@chorus/events';
import type { Services } from '../services.ts';
import { testKey } from './test-key.ts';

type Parts = Pick<Services, 'accounts' | 'config' | 'database' | 'redis' | 'registry'>;

/** Returns every provider with the state of its key. */
export async function listProviders({ config, database, registry }: Parts): Promise<ProviderEntry[]> {
  const [stored, workers] = await Promise.all([database.providerKeys.list(), registry.workers()]);
  const alive = workers.filter((worker) => worker.alive);
  return KEYED_PROVIDERS.map((name): ProviderEntry => {
    const record = stored.find(({ provider }) => provider === name);
    const reports = alive.flatMap(({ providers }) => providers.filter((one) => one.name === name));
    const isOfEnvironment = isInEnvironment(config, name) || reports.some(({ source }) => source === 'environment');
    const statuses = new Set(reports.map(({ status }) => status));
    const models = new Set(
      alive.flatMap((worker) => worker.models.flatMap(({ id, owned_by }) => (owned_by === name ? id : []))),
    );
    return {
      name,
      object: 'provider',
      source: isOfEnvironment ? 'environment' : record === undefined ? 'none' : 'stored',
      key_hint: record?.hint ?? null,
      base_url: record?.base_url ?? null,
      status: (['failing', 'ok', 'unknown'] as const).find((status) => statuses.has(status)) ?? 'off',
      model_count: models.size,
      updated_at: record?.updated_at.toISOString() ?? null,
    };
  });
}

export async function getProvider(parts: Parts, name: KeyedProvider): Promise<ProviderEntry> {
  return (await listProviders(parts)).find((one) => one.name === name) as ProviderEntry;
}

/**
 * Stores a provider's key, encrypted. Every process uses it within a second.
 *
 * @throws {ChorusError} conflict if the environment sets it; invalid_request; store_unavailable
 */
export async function setProviderKey(
  parts: Parts,
  actor: Actor,
  name: KeyedProvider,
  body: ProviderKeySet,
): Promise<ProviderEntry> {
  if ((await getProvider(parts, name)).source === 'environment') throw setByEnvironment(name);
  const { apiKey, baseUrl } = await completed(parts, name, body);
  if (name === 'compatible' && baseUrl === null) throw missing('base_url', 'is required for `compatible`');
  if (name !== 'compatible' && apiKey === null) throw missing('api_key', 'is required');
  await parts.database.providerKeys.set({ provider: name, apiKey, baseUrl });
  await published(parts, actor, 'provider_key.set', name);
  return getProvider(parts, name);
}

/** @throws {ChorusError} not_found if no key is stored; store_unavailable */
export async function removeProviderKey(parts: Parts, actor: Actor, name: KeyedProvider): Promise<ProviderEntry> {
  if (!(await parts.database.providerKeys.remove(name)))
    throw new ChorusError('not_found', 'No key is stored for this provider.');
  await published(parts, actor, 'provider_key.removed', name);
  return getProvider(parts, name);
}

/** Tests a key before it is stored, or the one in use. */
export async function testProviderKey(
  parts: Parts,
  name: KeyedProvider,
  body: Partial<ProviderKeySet>,
): Promise<ProviderTestResult> {
  const own = parts.config.providers[name];
  const isGiven = Object.keys(body).length > 0;
  if (!isGiven && isInEnvironment(parts.config, name)) return testKey(name, own);
  const { apiKey, baseUrl } = await completed(parts, name, body);
  return testKey(name, { apiKey, baseUrl: baseUrl ?? own.baseUrl });
}

/** Fills in omitted fields from the stored key, which is only sent to the address that it was stored for. */
async function completed(
  { database }: Pick<Parts, 'database'>,
  name: KeyedProvider,
  body: Partial<ProviderKeySet>,
): Promise<StoredProviderKey> {
  if (body.base_url !== undefined && name !== 'compatible')
    throw missing('base_url', 'is only allowed for `compatible`');
  const stored = (await database.providerKeys.open()).find(({ provider }) => provider === name);
  const baseUrl = body.base_url ?? stored?.baseUrl ?? null;
  const mayReuse = baseUrl === (stored?.baseUrl ?? null);
  return { provider: name, apiKey: body.api_key ?? (mayReuse ? stored?.apiKey : null) ?? null, baseUrl };
}

function isInEnvironment({ providers }: Parts['config'], name: KeyedProvider): boolean {
  const { apiKey, baseUrl } = providers[name];
  return name === 'compatible' ? baseUrl !== null : Boolean(apiKey);
}

async function published(
  { accounts, database, redis }: Parts,
  actor: Actor,
  action: AuditAction,
  name: KeyedProvider,
): Promise<void> {
  const target = { type: 'provider', id: name };
  await auditForOperators({ users: database.users, audit: accounts.audit }, actor, { action, target });
  await announceSettings(redis, 'provider_keys');
}

function setByEnvironment(name: KeyedProvider): ChorusError {
  const variable = `${name.toUpperCase()}_${name === 'compatible' ? 'BASE_URL' : 'API_KEY'}`;
  return new ChorusError(
    'conflict',
    `${variable} is set in the environment, which wins over a stored key. Remove it there and restart, then store a key here.`,
  );
}

function missing(field: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `body.${field}: ${message}`, {
    details: [{ path: `body.${field}`, message }],
  });
}
