import { writeFile } from 'node:fs/promises';
import { createMcpServer, createToolApi, type Toolbox } from '@chorus/agent-tools';
import { createToolbox } from '@chorus/agent-tools/toolbox';
import { type AgentToolConfig, NO_ACTOR, newId } from '@chorus/contract';
import { createDocuments } from '@chorus/documents';
import { createOutbound, type Outbound } from '@chorus/outbound';
import { decideCall } from '@chorus/queue';
import { createLogger } from '@chorus/runtime/log';
import { personal, startAgents, type Turn } from './test-agents.ts';
import { obedient, startHostileServer } from './test-hostile.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const actor = NO_ACTOR;
const audit = { record: async () => undefined };
const allowed = createOutbound({ allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] });

/** The credentials of the API. */
export const SECRET = 'Stored-secret-of-the-API';

/** An entry of another user. */
export const foreign = { owner: personal(), id: newId('knowledge'), content: 'The secret of another user' };

const inputSchema = { type: 'object' };
export const mail = { name: 'mail', inputSchema };
export const notes = { name: 'notes', inputSchema, annotations: { readOnlyHint: true } };

/** Agents with an obedient model and an attacker's server, which has the tools `mail` (writes) and `notes` (reads). */
export async function startHostileAgents() {
  const [agents, server] = await Promise.all([startAgents(), startHostileServer()]);
  const { database } = agents;
  const documents = createDocuments({ log, processes: 1 });
  const owner = personal();
  const opened: Toolbox[] = [];
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };
  const asset = { id: newId('asset'), mime_type: 'text/plain', size_bytes: 2 };

  const apiDocument = (description: string) => {
    const parameters = [{ name: 'id', in: 'query', schema: { type: 'string' } }];
    const get = { operationId: 'lookup', description, parameters, responses: { 200: { description: 'Done' } } };
    return JSON.stringify({ openapi: '3.1.0', servers: [{ url: server.url }], paths: { '/lookup': { get } } });
  };

  const hostile = {
    ...agents,
    server,
    owner,
    /** The bodies of the requests to the model. */
    bodies: [] as Record<string, unknown>[],
    tools: [] as AgentToolConfig[],
    /** The text of the knowledge's passage and the name of the file. */
    stored: '',
    outbound: allowed as Outbound,

    /** Registers the attacker's server and API, and forgets everything else. */
    async reset(): Promise<void> {
      Object.assign(server, { text: '', tools: [mail, notes], onCall: () => 'ok', seen: [] });
      Object.assign(hostile, { bodies: [], stored: '', outbound: allowed });
      hostile.tools = [
        ...(['web_fetch', 'read_document', 'knowledge_search'] as const).map((type) => ({ type })),
        { type: 'mcp', server_id: await hostile.registerServer() },
        { type: 'http', api_id: await hostile.registerApi('') },
      ];
    },

    async registerServer(name = 'Evil'): Promise<string> {
      const url = `${server.url}/mcp`;
      const fields = { name, url, headers: {}, allowed_tools: null, enabled: true, min_approval: 'never' as const };
      return (await createMcpServer({ database, outbound: allowed, audit }, owner, actor, fields)).id;
    },

    async registerApi(description: string): Promise<string> {
      const fields = {
        name: 'Evil',
        document: apiDocument(description),
        enabled: true,
        min_approval: 'never' as const,
      };
      const auth = { type: 'bearer' as const, token: SECRET };
      return (await createToolApi({ database, outbound: allowed, audit }, owner, actor, { ...fields, auth })).id;
    },

    /** Starts a worker with new connections to the servers. */
    async startHostileWorker(): Promise<void> {
      const toolbox = createToolbox({
        database,
        outbound: hostile.outbound,
        log,
        readFile: (file, options) => documents.parse(file, options),
        readEntry: async (reader, id) =>
          id === foreign.id && reader.user_id === foreign.owner.user_id ? { title: 'Secret', ...foreign } : null,
        findPassages: async () => {
          const place = { heading_path: [], page: null, score: 1 };
          const passage = { id: 'chunk', entry_id: newId('knowledge'), title: 'Entry', ...place, text: hostile.stored };
          return { passages: [passage as never], model: null, usage, warnings: [] };
        },
        assets: {
          get: async () => ({ ...asset, filename: hostile.stored }) as never,
          download: async (_: unknown, path: string) => writeFile(path, 'Hi'),
        } as never,
      });
      opened.push(toolbox);
      await agents.startWorker((...asked) => toolbox.open(...asked));
    },

    /** Starts a turn with this message of the user. */
    async askFor(message: string, agent: object = {}): Promise<Turn> {
      await hostile.startHostileWorker();
      const model = agents.model((request) => {
        hostile.bodies.push(request.body);
        return obedient(request);
      });
      return agents.ask(model, message, { owner, agent: { tools: hostile.tools, approval: 'writes', ...agent } });
    },

    async recordOf(turn: Turn) {
      const record = await turn.record();
      if (record === null) throw new Error('the turn has no record');
      return record;
    },

    decide(turn: Turn, tool_call_id: string, decision: 'approve' | 'deny') {
      const parts = { ...agents, actor, audit };
      return decideCall(parts, { owner, role: 'owner' }, turn.id, { tool_call_id, decision });
    },

    /** Calls of a tool that have reached the attacker's MCP server. */
    received: (name: string) =>
      server.seen.filter(({ body }) => body.includes('"tools/call"') && body.includes(`"${name}"`)),

    async stopHostileWorkers(): Promise<void> {
      await agents.stopWorkers();
      await Promise.all(opened.splice(0).map((toolbox) => toolbox.close()));
    },

    async closeAll(): Promise<void> {
      await Promise.all([agents.close(), server.close(), documents.close()]);
    },
  };
  return hostile;
}

export type HostileAgents = Awaited<ReturnType<typeof startHostileAgents>>;
