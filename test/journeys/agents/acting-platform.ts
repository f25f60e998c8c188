import type { FakeOpenAIOptions } from '@chorus/testing';
import type { Payload } from '../event-stream.ts';
import { type Platform, type PlatformOptions, startPlatform } from '../platform.ts';
import { poll } from '../poll.ts';
import { type ApiCall, type CountingApi, startCountingApi } from './counting-api.ts';
import { type CountingMcpServer, type McpCall, startCountingMcpServer } from './counting-mcp-server.ts';

const MODEL = 'words-1@acting';

type Behavior = ReturnType<NonNullable<FakeOpenAIOptions['script']>>;

/** How the model and the tools of a run behave. */
export interface Acting {
  /** @param step how many answers it has given so far */
  model(step: number, body: Payload): Behavior;
  /** Called for each call that reaches a server, which answers when this has resolved. */
  onCall?(call: ApiCall | McpCall): Promise<string | undefined> | string | undefined;
}

/** Sends the message of a turn to an agent. Returns the id of its execution. */
export type BeginTurn = (agentId: string, message: string) => Promise<string>;

/** A platform with an HTTP API and an MCP server that agents use, whose behavior each run defines. */
export interface ActingPlatform extends Platform {
  api: CountingApi;
  mcp: CountingMcpServer;
  /** Starts a turn of an agent with all tools. Returns the id of its execution. */
  act(n: number, acting: Acting, agent?: Record<string, unknown>, begin?: BeginTurn): Promise<string>;
}

export async function startActingPlatform(options: PlatformOptions = {}): Promise<ActingPlatform> {
  const runs = new Map<number, Acting>();
  const onCall = (call: ApiCall | McpCall) => runs.get(call.n)?.onCall?.(call);
  const [api, mcp] = await Promise.all([
    startCountingApi(async (call) => {
      await onCall(call);
    }),
    startCountingMcpServer(onCall),
  ]);
  const platform = await startPlatform({
    ...options,
    models: [MODEL],
    env: { OUTBOUND_ALLOW: '127.0.0.1', EXECUTIONS_PER_USER: '1000', ...options.env },
    script: ({ body }) => {
      const messages = body.messages as { role: string; content: string }[];
      const asked = messages.findLastIndex(({ role }) => role === 'user');
      const n = Number(/^Run (\d+)\.$/.exec(messages[asked]?.content ?? '')?.[1]);
      const step = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
      return runs.get(n)?.model(step, body);
    },
  });
  const { client } = platform;
  // A journey may kill the API and its stores.
  const register = (path: string, body: object): Promise<string> =>
    poll(`POST ${path}`, async () => {
      const made = await client.post(path, body).catch(() => null);
      if (made === null || made.status === 503) return null;
      if (made.status !== 200) throw new Error(`${path}: ${made.status} ${JSON.stringify(made.body)}`);
      return made.body.id;
    });
  const serverId = await register('/mcp-servers', { name: 'Counting', url: mcp.url });
  const apiId = await register('/tool-apis', { name: 'Shop', document: api.document });
  const begin: BeginTurn = async (agentId, message) => {
    const headers = { 'X-Agent-ID': agentId, Prefer: 'respond-async' };
    const { status, body } = await client.chat({ message }, { headers });
    if (status !== 200) throw new Error(`chat: ${status} ${JSON.stringify(body)}`);
    return body.id;
  };
  const tools = [
    { type: 'http', api_id: apiId },
    { type: 'mcp', server_id: serverId },
  ];

  return {
    ...platform,
    api,
    mcp,
    act: async (n, acting, agent = {}, beginTurn = begin) => {
      runs.set(n, acting);
      const made = { name: 'Acting', model: `compatible/${MODEL}`, tools, approval: 'never', ...agent };
      return beginTurn(await register('/agents', made), `Run ${n}.`);
    },
    stop: async () => {
      await platform.stop();
      await Promise.all([api.close(), mcp.close()]);
    },
  };
}

export const callsIn = ({ output }: Payload): Payload[] => output.filter(({ type }: Payload) => type === 'tool_call');

/** Returns the results that the model sees in a request. */
export const resultsIn = ({ messages }: Payload): string[] =>
  messages.flatMap(({ role, content }: Payload) => (role === 'tool' ? [content] : []));
