import { NO_ACTOR, type Permission } from '@chorus/contract';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { TestApi } from '../test-api.ts';

/** The protocol's own client, connected to `/mcp`. */
export interface TestClient {
  client: Client;
  transport: StreamableHTTPClientTransport;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
}

export interface ToolAnswer extends CallToolResult {
  /** The text content. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of any shape
  fields: any;
}

/** Creates a key of the first user. */
export async function firstUserKey(api: TestApi, permissions: Permission[] = ['read', 'run']): Promise<string> {
  const { body } = await api.call('POST', '/api-keys', { body: { name: 'mcp', permissions } });
  return body.secret;
}

/** Creates a key of any user. */
export async function keyOf({ services }: TestApi, id: string, permissions: Permission[], workspace_id?: string) {
  const wanted = { name: 'mcp', permissions, ...(workspace_id !== undefined && { workspace_id }) };
  return (await services.accounts.apiKeys.create(NO_ACTOR, { id, operator: false }, wanted)).secret;
}

/** @param fetchAt the fetch of the transport, such as one that sends some requests to another process */
export async function connectClient(
  url: string,
  key: string,
  { headers = {}, fetch: fetchAt }: { headers?: Record<string, string>; fetch?: typeof fetch } = {},
): Promise<TestClient> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    ...(fetchAt && { fetch: fetchAt }),
  });
  // Its optional properties do not fit the SDK's own interface under `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return {
    client,
    transport,
    call: async (name, args = {}) => toAnswer((await client.callTool({ name, arguments: args })) as CallToolResult),
  };
}

export function toAnswer(result: CallToolResult): ToolAnswer {
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { ...result, text, fields: result.structuredContent };
}

/** Sends a message without the SDK. */
export function send(api: Pick<TestApi, 'call'>, body: unknown, headers: Record<string, string | null> = {}) {
  return api.call('POST', '/mcp', { body, headers: { 'x-scope-type': null, ...headers } });
}
