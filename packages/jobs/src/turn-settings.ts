import {
  type AgentWork,
  type ChatCompletionInput,
  type ChatRequest,
  type ChatSettings,
  knowledgeUse,
  type OpenAiMessage,
  type Owner,
  type SettingName,
} from '@chorus/contract';
import type { AgentRecord, Database } from '@chorus/database';
import { chooseModel } from '@chorus/executions';
import type { JobServices } from './define-plan.ts';
import { checkAgentTools, checkSettings, supports } from './unsupported-fields.ts';

type ChatStore = Pick<Database, 'agents' | 'sessions' | 'messages'>;

export type TurnSettings = Omit<ChatCompletionInput, 'source'>;

/** Returns the agent of the request, or else of the session. Null: none, or it was deleted. */
export async function agentOf(
  store: ChatStore,
  owner: Owner,
  named: AgentRecord | null,
  { session_id, regenerate_from }: Pick<ChatRequest, 'session_id' | 'regenerate_from'>,
): Promise<AgentRecord | null> {
  if (named !== null) return named;
  const message = regenerate_from === undefined ? null : await store.messages.get(owner, regenerate_from);
  const id = message?.session_id ?? session_id;
  const session = id === undefined ? null : await store.sessions.get(owner, id);
  return session?.agent_id ? store.agents.get(owner, session.agent_id) : null;
}

/**
 * Resolves a turn's settings from the request, then the agent, then the defaults. The agent's fallbacks apply
 * to its own model only.
 * @throws {ChorusError} like `chooseModel`; `invalid_request` for a setting that the model does not support
 */
export async function turnSettings(
  services: Pick<JobServices, 'registry'> & { config: { chat: Pick<JobServices['config']['chat'], 'defaultModel'> } },
  agent: AgentRecord | null,
  asked: {
    model: string | undefined;
    settings: ChatSettings;
    messages?: readonly OpenAiMessage[] | undefined;
    path?: string;
  },
): Promise<TurnSettings> {
  const { path = 'body' } = asked;
  const workers = await services.registry.recentWorkers();
  const model = chooseModel(workers, {
    pool: 'text',
    capability: 'chat',
    asked: asked.model ?? agent?.model ?? undefined,
    configured: services.config.chat.defaultModel,
    path: `${path}.model`,
  });
  checkSettings(workers, model, asked.settings, path, asked.messages);
  if (agent === null) return { model, settings: asked.settings };
  const { instructions, temperature } = agent;
  // A model that would refuse the request cannot be a fallback.
  const fallbacks = agent.fallbacks.filter((one) => supports(workers, one, asked.settings, asked.messages));
  const own: ChatSettings = temperature === null ? {} : { temperature };
  if (asked.settings.temperature === undefined) checkSettings(workers, model, own, 'agent');
  return {
    model,
    settings: { ...own, ...asked.settings },
    ...(instructions ? { instructions } : {}),
    ...(asked.model === undefined && agent.model !== null && fallbacks.length > 0 ? { fallbacks } : {}),
  };
}

/**
 * Adds the tools of an agent to the settings of its turn.
 * @throws {ChorusError} `invalid_request`: the model cannot call tools
 */
export async function withAgentTools(
  { registry }: Pick<JobServices, 'registry'>,
  agent: AgentRecord | null,
  settings: TurnSettings,
  asked: { model?: string | undefined; path?: string | undefined },
): Promise<TurnSettings> {
  const acting = agentWorkOf(agent);
  if (acting === undefined) return settings;
  const fallbacks = checkAgentTools(await registry.recentWorkers(), asked, settings, asked.path ?? 'body');
  const { fallbacks: _, ...others } = settings;
  return { ...others, agent: acting, ...(fallbacks && { fallbacks }) };
}

/** Returns the tools of an agent, and the limits of its turns. Undefined: it has no tools. */
export function agentWorkOf(agent: AgentRecord | null): AgentWork | undefined {
  if (agent === null || agent.tools.length === 0) return undefined;
  const { tools, max_steps, approval, max_cost_usd } = agent;
  return { tools, max_steps, approval, max_cost_usd };
}

/**
 * Resolves which documents a turn may use: the request's, or else the agent's. The agent's tags apply unless the
 * request names tags.
 */
export function turnKnowledge(
  agent: Pick<AgentRecord, 'knowledge_tags'> | null,
  asked: ChatRequest['knowledge'],
): ChatCompletionInput['knowledge'] {
  const tags = agent?.knowledge_tags ?? [];
  if (asked === null || (asked === undefined && tags.length === 0)) return undefined;
  const use = asked ?? knowledgeUse.parse({});
  return use.tags === undefined && tags.length > 0 ? { ...use, tags } : use;
}

/** Settings that a request and a model call share. */
const SHARED = [
  'temperature',
  'top_p',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'verbosity',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'service_tier',
  'user',
  'provider_options',
] as const satisfies (SettingName & keyof ChatRequest)[];

/** Returns a request's settings. Drops the tool choice if there are no tools. */
export function chatSettingsOf(request: Partial<ChatRequest>): ChatSettings {
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const hasTools = (request.tools ?? []).length > 0;
  const given = SHARED.filter((name) => request[name] != null && (hasTools || !OF_TOOLS.has(name)));
  return {
    ...Object.fromEntries(given.map((name) => [name, request[name]])),
    ...(maxTokens != null && { max_tokens: maxTokens }),
    ...(request.stop != null && { stop: [request.stop].flat() }),
  };
}

const OF_TOOLS: ReadonlySet<string> = new Set(['tools', 'tool_choice', 'parallel_tool_calls']);

/** Default instructions for a spoken answer. */
const INSTRUCTIONS =
  'You are in a spoken conversation: your answer is read aloud. Be brief: one to three short sentences, unless more is asked for. Write as people speak, without ' +
  'headings, lists, tables, code, links or emoji.';

/** Adapts a turn's settings to a spoken answer. */
export function spokenTurn(settings: TurnSettings): TurnSettings {
  return settings.instructions ? settings : { ...settings, instructions: INSTRUCTIONS };
}
