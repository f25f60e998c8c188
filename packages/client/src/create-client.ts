import type { ClientOptions } from './client-options.ts';
import type { AnswerOf, OperationName } from './operations.ts';
import { createAccount } from './resources/account.ts';
import { createAgents } from './resources/agents.ts';
import { createArchive } from './resources/archive.ts';
import { createAssets } from './resources/assets.ts';
import { createBatches } from './resources/batches.ts';
import { createChat } from './resources/chat.ts';
import { createEvents } from './resources/events.ts';
import { createIris } from './resources/iris.ts';
import { createJobs } from './resources/jobs.ts';
import { createKnowledge } from './resources/knowledge.ts';
import { createMessages } from './resources/messages.ts';
import { createSessions } from './resources/sessions.ts';
import { createVoice } from './resources/voice.ts';
import { createWebhooks } from './resources/webhooks.ts';
import { createWorkspaces } from './resources/workspaces.ts';
import { type RequestArguments, Transport } from './transport.ts';

/** A client of a Chorus server. It holds no connection: make as many as you like. */
export interface ChorusClient extends ReturnType<typeof resourcesOf> {
  /** Where the platform is. */
  readonly baseUrl: string;
  /** The same with other options, such as another scope. */
  with(changes: Partial<ClientOptions>): ChorusClient;
  /** Any route, by its method and its path under `/api/v1`: `request('GET /jobs/{job_id}', { path: { job_id } })`. */
  request<Name extends OperationName>(name: Name, ...rest: RequestArguments<Name>): Promise<AnswerOf<Name>>;
}

/**
 * A client of a Chorus server.
 *
 * @example
 * const chorus = createClient({ baseUrl: 'https://chorus.example.org', apiKey: 'chk_…' });
 * for await (const { delta } of chorus.chat.stream({ message: 'Hello' }).text()) process.stdout.write(delta);
 */
export function createClient(options: ClientOptions = {}): ChorusClient {
  const transport = new Transport(options);
  return {
    baseUrl: transport.baseUrl,
    with: (changes) => createClient({ ...options, ...changes }),
    request: (name, ...rest) => transport.request(name, ...rest),
    ...resourcesOf(transport),
  };
}

function resourcesOf(transport: Transport) {
  return {
    ...createAccount(transport),
    agents: createAgents(transport),
    archive: createArchive(transport),
    assets: createAssets(transport),
    batches: createBatches(transport),
    chat: createChat(transport),
    events: createEvents(transport),
    iris: createIris(transport),
    jobs: createJobs(transport),
    knowledge: createKnowledge(transport),
    messages: createMessages(transport),
    sessions: createSessions(transport),
    voice: createVoice(transport),
    webhooks: createWebhooks(transport),
    workspaces: createWorkspaces(transport),
  };
}
