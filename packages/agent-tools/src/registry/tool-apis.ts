import { buffer } from 'node:stream/consumers';
import {
  type Actor,
  type AuditLog,
  ChorusError,
  checkRecordLimit,
  newId,
  type Owner,
  scopeKey,
  type ToolApi,
  type ToolApiAuth,
  type ToolApiCreate,
  type ToolApiPatch,
  toolApiAuth,
} from '@chorus/contract';
import type { Database, ToolApiRecord } from '@chorus/database';
import { type Outbound, RequestFailure } from '@chorus/outbound';
import { compileInThread } from '../http/compile-in-thread.ts';
import type { CompiledApi } from '../http/compiled-api.ts';
import type { RunnableApi } from '../http/http-tools.ts';
import type { OperationsCache } from '../http/operations-cache.ts';
import { slugOf } from '../tool-names.ts';
import { clip } from '../untrusted-text.ts';
import { checkAddress, serverChanges } from './check-address.ts';

export interface ApiRegistryParts {
  database: Pick<Database, 'toolApis'>;
  outbound: Pick<Outbound, 'check' | 'request'>;
  audit: AuditLog;
}

const READ_MS = 20_000;
const MAX_DOCUMENT_BYTES = 2_000_000;
const MAX_LISTED_DESCRIPTION = 300;

/** @throws {ChorusError} limit_reached; url_not_allowed; invalid_request and download_failed, with the reason */
export async function createToolApi(
  parts: ApiRegistryParts,
  owner: Owner,
  actor: Actor,
  wanted: ToolApiCreate,
): Promise<ToolApiRecord> {
  const { database, outbound, audit } = parts;
  await checkRecordLimit('toolApis', (most) => database.toolApis.count(owner, most));
  const { api, compiled } = await readDocument(parts, owner, wanted);
  const base_url = baseUrlOf(outbound, wanted, api);
  const now = new Date();
  const record: ToolApiRecord = {
    id: newId('toolApi'),
    owner,
    name: wanted.name,
    document_url: wanted.document_url ?? null,
    base_url,
    auth: shownAuth(wanted.auth),
    ...shownOperations(api),
    enabled: wanted.enabled,
    min_approval: wanted.min_approval,
    created_at: now,
    updated_at: now,
  };
  await database.toolApis.insert(record, compiled, storedAuth(wanted.auth));
  await note(audit, actor, 'tool_api.created', record);
  return record;
}

/** @throws {ChorusError} not_found; otherwise like `createToolApi` */
export async function changeToolApi(
  parts: ApiRegistryParts,
  owner: Owner,
  actor: Actor,
  id: string,
  patch: ToolApiPatch,
): Promise<ToolApiRecord> {
  const { database, outbound, audit } = parts;
  const before = (await database.toolApis.get(owner, id)) ?? unknown();
  const { name, enabled, min_approval, auth } = patch;
  const fields: Parameters<Database['toolApis']['patch']>[2] = {
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { enabled }),
    ...(min_approval !== undefined && { min_approval }),
    ...(auth !== undefined && { auth: shownAuth(auth) }),
  };
  if (patch.document !== undefined || patch.document_url !== undefined) {
    const { api, compiled } = await readDocument(parts, owner, patch);
    const base_url = baseUrlOf(outbound, patch, api);
    Object.assign(fields, { ...shownOperations(api), compiled, base_url, document_url: patch.document_url ?? null });
  } else if (patch.base_url !== undefined) {
    fields.base_url = baseUrlOf(outbound, patch, null);
  }
  const moves = fields.base_url !== undefined && serverChanges(before.base_url, fields.base_url);
  if (moves && auth === undefined && before.auth.type !== 'none') throw missingAuth();
  const credentials = auth === undefined ? undefined : storedAuth(auth);
  const record = (await database.toolApis.patch(owner, id, fields, credentials)) ?? unknown();
  await note(audit, actor, 'tool_api.changed', record);
  return record;
}

/** @throws {ChorusError} not_found */
export async function removeToolApi(
  { database, audit }: Omit<ApiRegistryParts, 'outbound'>,
  owner: Owner,
  actor: Actor,
  id: string,
): Promise<void> {
  const record = (await database.toolApis.get(owner, id)) ?? unknown();
  if (!(await database.toolApis.remove(owner, id))) unknown();
  await note(audit, actor, 'tool_api.deleted', record);
}

/** Returns an API for its tools. Null: it does not exist. */
export async function openToolApi(
  { toolApis }: Pick<Database, 'toolApis'>,
  cache: OperationsCache,
  owner: Owner,
  id: string,
): Promise<{ record: ToolApiRecord; runnable: RunnableApi } | null> {
  const found = await toolApis.open(owner, id);
  if (found === null) return null;
  const { api: record, revision, credentials } = found;
  const auth: ToolApiAuth = credentials === null ? { type: 'none' } : toolApiAuth.parse(JSON.parse(credentials));
  const operations = await cache.get(revision, async () => (await toolApis.compiled(owner, id)) ?? '[]');
  return { record, runnable: { id, slug: slugOf(record.name), baseUrl: record.base_url, operations, auth } };
}

export function presentToolApi({ owner, created_at, updated_at, ...fields }: ToolApiRecord): ToolApi {
  return {
    ...fields,
    object: 'tool_api',
    user_id: owner.user_id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

type Source = Pick<ToolApiPatch, 'document' | 'document_url' | 'base_url'>;

async function readDocument(
  { outbound }: ApiRegistryParts,
  { user_id }: Owner,
  { document, document_url: url }: Source,
) {
  if (document !== undefined) return compileInThread(document, 'body.document', user_id);
  checkAddress(outbound, String(url), 'body.document_url');
  return compileInThread(await download(outbound, String(url)), 'body.document_url', user_id);
}

async function download(outbound: ApiRegistryParts['outbound'], url: string): Promise<string> {
  const signal = AbortSignal.timeout(READ_MS);
  const headers = { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' };
  try {
    const answer = await outbound.request(url, { method: 'GET', headers, maxBytes: MAX_DOCUMENT_BYTES, signal });
    const stop = () => void answer.body.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (answer.status === 200) return new TextDecoder().decode(await buffer(answer.body));
    answer.body.destroy();
    throw new ChorusError('download_failed', `The document's server answers with status ${answer.status}.`);
  } catch (error) {
    if (error instanceof ChorusError) throw error;
    const reason = error instanceof RequestFailure ? error.message : 'the connection broke, or it took too long.';
    throw new ChorusError('download_failed', `The document could not be read: ${reason}`);
  }
}

/** Returns the base URL of the paths. */
function baseUrlOf(outbound: Pick<Outbound, 'check'>, given: Source, api: CompiledApi | null): string {
  const path = given.base_url === undefined ? 'body.document' : 'body.base_url';
  const server = given.base_url ?? api?.server ?? '/';
  const url = URL.parse(server, given.document_url);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const message = 'is required, since the document names no server with a whole address';
    throw new ChorusError('invalid_request', 'The API has no address.', {
      details: [{ path: 'body.base_url', message }],
    });
  }
  url.search = '';
  url.hash = '';
  checkAddress(outbound, url.href, path);
  return url.href;
}

function shownAuth(auth: ToolApiAuth): ToolApiRecord['auth'] {
  return { type: auth.type, name: auth.type === 'header' || auth.type === 'query' ? auth.name : null };
}

const storedAuth = (auth: ToolApiAuth): string | null => (auth.type === 'none' ? null : JSON.stringify(auth));

function shownOperations({ operations, warnings }: CompiledApi): Pick<ToolApiRecord, 'operations' | 'warnings'> {
  const shown = operations.map(({ name, method, path, description, effect }) => ({
    name,
    method,
    path: clip(path, 500),
    description: clip(description, MAX_LISTED_DESCRIPTION),
    effect,
  }));
  return { operations: shown, warnings };
}

function note(
  audit: AuditLog,
  actor: Actor,
  action: 'tool_api.created' | 'tool_api.changed' | 'tool_api.deleted',
  { id, owner, name, base_url }: ToolApiRecord,
): Promise<void> {
  const details = { name, host: new URL(base_url).host };
  return audit.record(actor, { scope_key: scopeKey(owner), action, target: { type: 'tool_api', id }, details });
}

/** Protects the credentials, which a new address could otherwise reveal. */
const missingAuth = () =>
  new ChorusError('invalid_request', 'The credentials must be set again, because the host or path changes.', {
    details: [{ path: 'body.auth', message: 'is required when the host or path that is called changes' }],
  });

function unknown(): never {
  throw new ChorusError('not_found', 'API not found.');
}
