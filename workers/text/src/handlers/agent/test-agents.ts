import type { AgentTool, SaveFile, ToolCallContext, ToolEffect, ToolResult } from '@chorus/agent-tools';
import {
  AGENT_WORK_DEFAULTS,
  type AgentToolConfig,
  type AgentWork,
  type ChatCompletionInput,
  type LogEvent,
  newId,
  type Owner,
  PROVIDERS,
  type ResponseInput,
} from '@chorus/contract';
import { beginTurn } from '@chorus/conversations';
import { connectDatabase, type ExecutionRecord } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, type EventReader } from '@chorus/events';
import { createQueuePlaces, JOBS_FREED_CHANNEL, placeKeys, queueName } from '@chorus/executions';
import { createProviders } from '@chorus/providers';
import { createDispatcher } from '@chorus/queue';
import { createLogger } from '@chorus/runtime/log';
import {
  type FakePiece,
  type FakeRequest,
  sharedStore,
  startFakeOpenAI,
  startRedis,
  TEST_SECRET_ENV,
} from '@chorus/testing';
import { createHandlers, type RunningPool, startPool } from '@chorus/worker-kit';
import * as all from '../index.ts';
import type { AgentParts } from './agent-turn.ts';

const log = createLogger({ name: 'test', level: 'silent' });

export const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

export interface FakeToolOptions {
  effect?: ToolEffect;
  origin?: AgentTool['origin'];
  minApproval?: AgentTool['minApproval'];
  run?: (args: Record<string, unknown>, call: ToolCallContext) => Promise<ToolResult>;
}

/** A tool that records its calls. By default, it answers with its arguments. */
export function fakeTool(
  name: string,
  { effect = 'read', origin = { type: 'mcp', id: 'mcp_x' }, minApproval, run }: FakeToolOptions = {},
) {
  const calls: { args: Record<string, unknown>; callId: string }[] = [];
  const tool: AgentTool = {
    name,
    origin,
    description: `The tool ${name}`,
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
    effect,
    ...(minApproval && { minApproval }),
    binding: JSON.stringify([name, origin, effect]),
    run: async (args, call) => {
      calls.push({ args, callId: call.callId });
      return (await run?.(args, call)) ?? { text: `${name}:${JSON.stringify(args)}` };
    },
  };
  return { tool, calls };
}

/** Scripts the fake model, by the number of steps that it has taken. It hangs if the script returns nothing. */
export type Script = (request: {
  steps: number;
  body: FakeRequest['body'];
}) => FakePiece[] | 'hang' | { hangAfter: FakePiece[] };

export interface AskOptions {
  agent?: Partial<AgentWork>;
  session_id?: string;
  /** OpenAI's form, without a session. */
  stateless?: boolean;
  owner?: Owner;
}

export interface WorkerOptions {
  /** Reasons why tools are not available. */
  unavailable?: readonly string[];
  turnTimeoutMs?: number;
  saveFile?: SaveFile;
}

/** Starts Redis, a store, and a fake provider. Pools in this process run the turns of agents. */
const QUEUES = [queueName('text', 'places'), queueName('text', 'lanes')];

export async function startAgents() {
  const scripts = new Map<string, Script>();
  const [server, store, fake] = await Promise.all([
    startRedis(),
    sharedStore(),
    startFakeOpenAI({
      script: ({ model, body }) => {
        const messages = (body.messages ?? []) as { role: string }[];
        const asked = messages.findLastIndex(({ role }) => role === 'user');
        const steps = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
        const said = scripts.get(model)?.({ steps, body });
        if (said === undefined) return undefined;
        if (said === 'hang') return { ending: 'hang', after: 0 };
        return 'hangAfter' in said
          ? { pieces: said.hangAfter, ending: 'hang', after: said.hangAfter.length }
          : { pieces: said };
      },
    }),
  ]);
  const config = { url: server.url, cluster: false };
  const redis = connectRedis(config, 'worker');
  const subscriber = connectRedis(config, 'worker');
  for (const connection of [redis, subscriber]) connection.on('error', () => undefined);
  const database = await connectDatabase({
    uri: store.uri,
    secretKey: { keys: [TEST_SECRET_ENV.SECRET_KEY], file: '' },
    log,
  });
  const hub = createEventHub(redis, subscriber, log);
  const eventLog = createEventLog(redis, { maxLength: 10_000, keepMs: 3_600_000 });
  const limits = { maxDepth: 1_000, maxAgeMs: 600_000 };
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits, log });
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const settings = { ...off, compatible: { apiKey: null, baseUrl: fake.url } } as Parameters<typeof createProviders>[0];
  const providers = createProviders(settings, { log });
  await providers.ready();
  const places = createQueuePlaces(redis);
  const pools = new Map<string, RunningPool>();
  let made = 0;

  return {
    database,
    dispatcher,
    eventLog,
    fake,
    redis,

    /** Names a model that follows a script. */
    model(script: Script): string {
      made += 1;
      const name = `words-1@agent-${made}`;
      scripts.set(name, script);
      return `compatible/${name}`;
    },

    /** Starts a worker with its own connections, so that it counts as another process. Returns its name. */
    async startWorker(
      tools: readonly AgentTool[] | AgentParts['openTools'],
      { unavailable = [], turnTimeoutMs, saveFile }: WorkerOptions = {},
    ): Promise<string> {
      const id = `worker-${newId('job')}`;
      const pool = await startPool({
        pool: 'text',
        handlers: createHandlers('text', all, {
          database,
          assets: {} as never,
          providers,
          findPassages: () => Promise.reject(new Error('no knowledge here')),
          readDocument: () => Promise.reject(new Error('no knowledge here')),
          ...(turnTimeoutMs !== undefined && { turnTimeoutMs }),
          ...(saveFile && { saveFile }),
          openTools: async (owner, configs, options) => {
            if (typeof tools === 'function') return tools(owner, configs, options);
            const [config] = configs;
            for (const reason of unavailable) options.onUnavailable({ config: config as AgentToolConfig, reason });
            return tools;
          },
        }),
        redis: config,
        store: database,
        eventLog,
        lease: { id },
        concurrency: 4,
        log,
        health: () => ({ models: [], providers: [], default_model: null }),
      });
      pools.set(id, pool);
      return id;
    },

    /** Frees the jobs of a worker, as if its process had been killed. The worker notices when it appends. */
    async kill(worker: string): Promise<void> {
      for (const queue of QUEUES) {
        await places.disown(queue, [{ process: worker, hasEnded: true }]);
        await redis.publish(JOBS_FREED_CHANNEL, queue);
      }
    },

    /** Frees one job, as if its worker had been killed. */
    async loseWorkerOf(id: string): Promise<void> {
      for (const queue of QUEUES) {
        const { base } = placeKeys(queue);
        if ((await redis.exists(`${base}${id}`)) === 0) continue;
        await redis.multi().del(`${base}${id}:lock`).sadd(`${base}stalled`, id).del(`${base}stalled-check`).exec();
        await redis.publish(JOBS_FREED_CHANNEL, queue);
      }
    },

    async stopWorkers(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.close(0)));
      pools.clear();
    },

    /** Starts a turn of an agent with tools. */
    async ask(
      model: string,
      message: string,
      { agent, session_id, stateless = false, owner = personal() }: AskOptions = {},
    ) {
      const work: AgentWork = {
        ...AGENT_WORK_DEFAULTS,
        tools: [{ type: 'mcp', server_id: 'mcp_x' }],
        approval: 'never',
        ...agent,
      };
      const common: Omit<ChatCompletionInput, 'source'> = { model, settings: {}, agent: work };
      const { record, reader } = await dispatcher.dispatch({
        kind: 'chat.completion',
        owner,
        model,
        begin: async (executionId) => {
          if (stateless) {
            const messages = [{ role: 'user' as const, content: message }];
            return { input: { ...common, source: { type: 'messages' as const, messages } } };
          }
          const begun = await beginTurn(database, owner, { type: 'message', message, session_id }, executionId);
          const { turn, opened: _, ...others } = begun;
          return { ...others, input: { ...common, source: { type: 'session' as const, ...turn } } };
        },
        requestId: null,
        follow: true,
      });
      return new Turn(owner, record, reader as EventReader, async () => database.executions.get(owner, record.id));
    },

    /** Starts a response with the MCP server `mcp_x`. */
    async respond(model: string, items: ResponseInput['items'], options: ResponseInput['options'] = {}) {
      const owner = personal();
      const tool = { type: 'mcp' as const, server_label: 'x', server_url: 'mcp_x', require_approval: 'never' as const };
      const input = { model, items, options: { tools: [tool], ...options }, servers: { x: 'mcp_x' } };
      const work = { kind: 'response' as const, owner, model, input, requestId: null, follow: true as const };
      const { record, reader } = await dispatcher.dispatch(work);
      return new Turn(owner, record, reader as EventReader, async () => database.executions.get(owner, record.id));
    },

    async close(): Promise<void> {
      await this.stopWorkers();
      hub.close();
      redis.disconnect();
      providers.close();
      await database.close();
      await Promise.all([server.stop(), store.stop(), fake.close()]);
    },
  };
}

export type TestAgents = Awaited<ReturnType<typeof startAgents>>;

/** A turn, with the events that its reader has seen. */
export class Turn {
  readonly id: string;
  readonly events: LogEvent[] = [];
  readonly owner: Owner;
  readonly record: () => Promise<ExecutionRecord | null>;
  readonly #reader: EventReader;

  constructor(owner: Owner, record: ExecutionRecord, reader: EventReader, read: () => Promise<ExecutionRecord | null>) {
    this.id = record.id;
    this.owner = owner;
    this.record = read;
    this.#reader = reader;
  }

  /** Reads until an event of this type. Counts those that were not read before. */
  async until(type: LogEvent['type']): Promise<LogEvent> {
    for (;;) {
      const next = await this.#reader.next();
      const events = next.map(({ event }) => event);
      this.events.push(...events);
      const found = events.find((event) => event.type === type);
      if (found) return found;
      const end = events.find((event) => 'ending' in event);
      if (end) throw new Error(`ended before ${type}: ${JSON.stringify(end)}`);
    }
  }

  /** Reads to the end. Returns the record. */
  async ended(type: LogEvent['type'] = 'execution.succeeded'): Promise<ExecutionRecord> {
    await this.until(type);
    this.#reader.close();
    return (await this.record()) as ExecutionRecord;
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }
}

export const callsIn = ({ output }: Pick<ExecutionRecord, 'output'>) =>
  output.flatMap((item) => (item.type === 'tool_call' ? [item] : []));

export const textIn = ({ output }: Pick<ExecutionRecord, 'output'>) =>
  output.map((item) => (item.type === 'text' ? item.text : '')).join('');

/** Returns the results that the model saw in a request. */
export const resultsIn = (body: FakeRequest['body']): string[] =>
  (body.messages as { role: string; content: string }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

export function gate<T = void>() {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
