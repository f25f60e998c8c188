import {
  type ChatCompletionInput,
  type ChatRequest,
  knowledgeUse,
  type Owner,
  type SamplingSettings,
  type WorkerHealth,
} from '@chorus/contract';
import type { AgentRecord, Database } from '@chorus/database';
import { chooseModel } from '@chorus/executions';
import type { TurnSettings } from './turn-work.ts';
import { checkSettings } from './unsupported-fields.ts';

type ChatStore = Pick<Database, 'agents' | 'sessions' | 'messages'>;

/** Which models can be run, and which one is the usual. */
export interface ModelChoice {
  registry: { recentWorkers(): Promise<readonly WorkerHealth[]> };
  config: { chat: { defaultModel: string | null } };
}

/** The agent of a turn: the one that the request names, else the session's. Null: none, or one that is gone. */
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
 * What the turn runs with: what the request says, else the agent, else the configured default. The agent's stand-ins stand in for its own
 * model alone.
 *
 * @throws {ChorusError} like `chooseModel`; `invalid_request` for a setting that the model does not take
 */
export async function turnSettings(
  services: ModelChoice,
  agent: AgentRecord | null,
  asked: { model: string | undefined; settings: SamplingSettings },
): Promise<TurnSettings> {
  const workers = await services.registry.recentWorkers();
  const model = chooseModel(workers, {
    pool: 'text',
    capability: 'chat',
    asked: asked.model ?? agent?.model ?? undefined,
    configured: services.config.chat.defaultModel,
  });
  checkSettings(workers, model, asked.settings);
  if (agent === null) return { model, settings: asked.settings };
  const { instructions, temperature, fallbacks } = agent;
  const own: SamplingSettings = temperature === null ? {} : { temperature };
  if (asked.settings.temperature === undefined) checkSettings(workers, model, own, 'agent');
  return {
    model,
    settings: { ...own, ...asked.settings },
    ...(instructions ? { instructions } : {}),
    ...(asked.model === undefined && agent.model !== null && fallbacks.length > 0 ? { fallbacks } : {}),
  };
}

/**
 * What a chat turn is answered from: what the request says, within the agent's tags unless it names its own; without a word of the request, what the agent answers
 * from. Undefined: nothing.
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
