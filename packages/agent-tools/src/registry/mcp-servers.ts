import {
  type Actor,
  type AuditLog,
  ChorusError,
  checkRecordLimit,
  type McpServer,
  type McpServerCreate,
  type McpServerPatch,
  type McpServerTools,
  newId,
  type Owner,
  scopeKey,
} from '@chorus/contract';
import type { Database, McpServerRecord } from '@chorus/database';
import type { Outbound } from '@chorus/outbound';
import type { McpServer as PoolServer } from '../mcp/mcp-connection.ts';
import { McpFailure } from '../mcp/mcp-failure.ts';
import type { McpPool } from '../mcp/mcp-pool.ts';
import { describeTool } from '../mcp/mcp-tools.ts';
import { redactor } from '../redact.ts';
import { cleanLine } from '../untrusted-text.ts';
import { checkAddress, serverChanges, uniqueHeaders } from './check-address.ts';

const LIST_MS = 30_000;

export interface McpRegistryParts {
  database: Pick<Database, 'mcpServers'>;
  outbound: Pick<Outbound, 'check'>;
  audit: AuditLog;
}

/** @throws {ChorusError} limit_reached; url_not_allowed; invalid_request for the same header twice */
export async function createMcpServer(
  { database, outbound, audit }: McpRegistryParts,
  owner: Owner,
  actor: Actor,
  { headers: given, ...wanted }: McpServerCreate,
): Promise<McpServerRecord> {
  checkAddress(outbound, wanted.url, 'body.url');
  const headers = uniqueHeaders(given);
  await checkRecordLimit('mcpServers', (most) => database.mcpServers.count(owner, most));
  const now = new Date();
  const record: McpServerRecord = {
    id: newId('mcpServer'),
    owner,
    ...wanted,
    header_names: Object.keys(headers),
    created_at: now,
    updated_at: now,
  };
  await database.mcpServers.insert(record, headers);
  await note(audit, actor, 'mcp_server.created', record);
  return record;
}

/** @throws {ChorusError} not_found; otherwise like `createMcpServer` */
export async function changeMcpServer(
  { database, outbound, audit }: McpRegistryParts,
  owner: Owner,
  actor: Actor,
  id: string,
  { headers: given, ...fields }: McpServerPatch,
): Promise<McpServerRecord> {
  const before = (await database.mcpServers.get(owner, id)) ?? unknown();
  if (fields.url !== undefined) {
    checkAddress(outbound, fields.url, 'body.url');
    if (given === undefined && before.header_names.length > 0 && serverChanges(before.url, fields.url))
      throw missingHeaders();
  }
  const headers = given && uniqueHeaders(given);
  const names = headers && { header_names: Object.keys(headers) };
  const record = (await database.mcpServers.patch(owner, id, { ...fields, ...names }, headers)) ?? unknown();
  await note(audit, actor, 'mcp_server.changed', record);
  return record;
}

/** @throws {ChorusError} not_found */
export async function removeMcpServer(
  { database, audit }: Omit<McpRegistryParts, 'outbound'>,
  owner: Owner,
  actor: Actor,
  id: string,
): Promise<void> {
  const record = (await database.mcpServers.get(owner, id)) ?? unknown();
  if (!(await database.mcpServers.remove(owner, id))) unknown();
  await note(audit, actor, 'mcp_server.deleted', record);
}

/**
 * Connects to a server and lists its tools.
 *
 * @throws {ChorusError} not_found; download_failed, with the reason, or timeout if the server does not list its tools
 */
export async function listMcpTools(
  { database, pool }: { database: Pick<Database, 'mcpServers'>; pool: Pick<McpPool, 'tools'> },
  owner: Owner,
  id: string,
): Promise<McpServerTools> {
  const { server, record } = (await openMcpServer(database, owner, id)) ?? unknown();
  const signal = AbortSignal.timeout(LIST_MS);
  try {
    const tools = await pool.tools(server, signal, true);
    const data = tools.flatMap((tool) => {
      const described = describeTool(tool);
      const allowed = record.allowed_tools?.includes(tool.name) ?? true;
      return described === null ? [] : [{ ...described, name: cleanLine(tool.name, 256), allowed }];
    });
    return { object: 'list', data };
  } catch (error) {
    if (signal.aborted) throw new ChorusError('timeout', 'The MCP server did not list its tools in time.');
    if (!(error instanceof McpFailure)) throw error;
    // Without the cause, which could contain text from the server and be logged.
    throw new ChorusError('download_failed', redactor(Object.values(server.headers))(error.message));
  }
}

/** Returns a server for the pool. Null: it does not exist. */
export async function openMcpServer(
  { mcpServers }: Pick<Database, 'mcpServers'>,
  owner: Owner,
  id: string,
): Promise<{ record: McpServerRecord; server: PoolServer } | null> {
  const found = await mcpServers.open(owner, id);
  if (found === null) return null;
  const { server: record, headers } = found;
  return {
    record,
    server: { id, owner: scopeKey(record.owner), url: record.url, headers, version: record.updated_at.toISOString() },
  };
}

export function presentMcpServer({ owner, created_at, updated_at, ...fields }: McpServerRecord): McpServer {
  return {
    ...fields,
    object: 'mcp_server',
    user_id: owner.user_id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

function note(
  audit: AuditLog,
  actor: Actor,
  action: 'mcp_server.created' | 'mcp_server.changed' | 'mcp_server.deleted',
  { id, owner, name, url }: McpServerRecord,
): Promise<void> {
  const details = { name, host: new URL(url).host };
  return audit.record(actor, { scope_key: scopeKey(owner), action, target: { type: 'mcp_server', id }, details });
}

/** Protects the headers, which a new address could otherwise reveal. */
const missingHeaders = () =>
  new ChorusError('invalid_request', 'The headers must be set again, because the host or path changes.', {
    details: [{ path: 'body.headers', message: 'is required when the host or path of `url` changes' }],
  });

function unknown(): never {
  throw new ChorusError('not_found', 'MCP server not found.');
}
