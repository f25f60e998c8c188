import type { ClientOptions } from './client-options.ts';
import type { AnswerOf, OperationName } from './operations.ts';
import { createAccount } from './resources/account.ts';
import { createAgents } from './resources/agents.ts';
import { createArchive } from './resources/archive.ts';
import { createAssets } from './resources/assets.ts';
import { createBatches } from './resources/batches.ts';
import { createChat } from './resources/chat.ts';
import { createEvents } from './resources/events.ts';
import { createFolders } from './resources/folders.ts';
import { createIris } from './resources/iris.ts';
import { createJobs } from './resources/jobs.ts';
import { createKnowledge } from './resources/knowledge.ts';
import { createMcpServers } from './resources/mcp-servers.ts';
import { createMessages } from './resources/messages.ts';
import { createModelSettings } from './resources/model-settings.ts';
import { createPrompts } from './resources/prompts.ts';
import { createProviders } from './resources/providers.ts';
import { createSessions } from './resources/sessions.ts';
import { createShares } from './resources/shares.ts';
import { createToolApis } from './resources/tool-apis.ts';
import { createVoice } from './resources/voice.ts';
import { createWebhooks } from './resources/webhooks.ts';
import { createWorkspaces } from './resources/workspaces.ts';
import { type RequestArguments, Transport } from './transport.ts';

/**
 * A client of a Chorus server. It holds no connections, so you can create many.
 *
 * Every method throws a `ChorusError` with the code of the API, or the reason of an aborted
 * `signal`.
 */
export interface ChorusClient extends ReturnType<typeof resourcesOf> {
  /** URL of the platform, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the same client with other options, such as another scope. */
  with(changes: Partial<ClientOptions>): ChorusClient;
  /**
   * Requests any route by method and path under `/api/v1`.
   *
   * @example
   * await chorus.request('GET /jobs/{job_id}', { path: { job_id } });
   */
  request<Name extends OperationName>(name: Name, ...rest: RequestArguments<Name>): Promise<AnswerOf<Name>>;
  /**
   * Like `request`, but returns the response itself, with its headers and unread body. For a stream of events, send the
   * header `Accept`, or `stream: true` in the body.
   *
   * @example
   * const response = await chorus.raw('GET /jobs/{job_id}/events', { path: { job_id } });
   */
  raw<Name extends OperationName>(name: Name, ...rest: RequestArguments<Name>): Promise<Response>;
}

/**
 * Creates a client of a Chorus server.
 *
 * @example
 * const chorus = createClient({ baseUrl: 'https://chorus.example.org', apiKey: 'chk_…' });
 * const stream = chorus.chat.stream({ message: 'Hello' });
 * for await (const { delta } of stream.text()) process.stdout.write(delta);
 */
export function createClient(options: ClientOptions = {}): ChorusClient {
  const transport = new Transport(options);
  return {
    baseUrl: transport.baseUrl,
    with: (changes) => createClient({ ...options, ...changes }),
    request: (name, ...rest) => transport.request(name, ...rest),
    raw: (name, ...[input, options]) => transport.open(name, input, options),
    ...resourcesOf(transport),
  };
}

function resourcesOf(transport: Transport) {
  return {
    ...createAccount(transport),
    /** Links that show sessions to people without an account. */
    shares: createShares(transport),
    /** Folders of sessions. */
    folders: createFolders(transport),
    /** Agents: instructions, model, and knowledge for chats. */
    agents: createAgents(transport),
    /** Archived texts and snapshots, with revisions. */
    archive: createArchive(transport),
    /** Files. */
    assets: createAssets(transport),
    /** Up to 10,000 requests at once. */
    batches: createBatches(transport),
    /** Chat turns. */
    chat: createChat(transport),
    /** Everything that happens in the scope. */
    events: createEvents(transport),
    /** Images, videos, OCR, and verification. */
    iris: createIris(transport),
    /** Executions: the work behind every request that runs something. */
    jobs: createJobs(transport),
    /** Documents, and questions about them. */
    knowledge: createKnowledge(transport),
    /** MCP servers, whose tools agents use. */
    mcpServers: createMcpServers(transport),
    /** Messages of sessions. */
    messages: createMessages(transport),
    /** Default models and fallbacks. For operators. */
    modelSettings: createModelSettings(transport),
    /** Providers of models, and their keys. For operators. */
    providers: createProviders(transport),
    /** Texts for messages, with variables. */
    prompts: createPrompts(transport),
    /** Chat sessions. */
    sessions: createSessions(transport),
    /** APIs with an OpenAPI document, whose operations agents use. */
    toolApis: createToolApis(transport),
    /** Spoken turns and the voice socket. */
    voice: createVoice(transport),
    /** Deliveries and the signing secret. */
    webhooks: createWebhooks(transport),
    /** Workspaces, members, and invitations. */
    workspaces: createWorkspaces(transport),
  };
}
