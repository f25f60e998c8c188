import {
  type ChatCompletionInput,
  type ChatRequest,
  ChorusError,
  chatCompletion,
  chatRequest,
  instructionText,
  type Owner,
} from '@chorus/contract';
import { beginTurn, checkTurn, documentsOf, type TurnStart } from '@chorus/conversations';
import type { AgentRecord, Database, ExecutionRecord } from '@chorus/database';
import type { Work } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { checkMessageFiles } from './message-files.ts';
import { toConversation } from './openai-messages.ts';
import { checkAttachments } from './requested-files.ts';
import {
  agentOf,
  agentWorkOf,
  chatSettingsOf,
  type TurnSettings,
  turnKnowledge,
  turnSettings,
} from './turn-settings.ts';
import { checkAgentTools, checkFields, checkToolOutputs } from './unsupported-fields.ts';

const KNOWN_FIELDS = new Set(Object.keys(chatRequest.shape));

export const chatCompletionJob = defineJobPlan(chatCompletion, {
  plan: async (request, requester, services) => {
    const { owner, path } = requester;
    const { messages, attachments } = request;
    const agent = await agentOf(services.database, owner, requester.agent, request);
    const asked = { model: request.model, settings: chatSettingsOf(request), messages, path };
    const knowledge = turnKnowledge(agent, request.knowledge);
    const acting = request.tool_choice === 'none' ? undefined : agentWorkOf(agent);
    const chosen = await turnSettings(services, agent, asked);
    const own = request.custom_instructions ? await withOwnInstructions(services, owner, chosen) : {};
    const settings = { ...chosen, ...own, ...(knowledge && { knowledge }), ...(acting && { agent: acting }) };
    const { model } = settings;
    const workers = await services.registry.recentWorkers();
    const ignoredFields = checkFields(request, { known: KNOWN_FIELDS, workers, model, at: path });
    if (acting !== undefined) settings.fallbacks = checkAgentTools(workers, request, settings, path);
    if (attachments !== undefined)
      await checkAttachments(services, requester, { attachments, session_id: request.session_id, model });
    if (request.tool_outputs !== undefined) checkToolOutputs(workers, model, path);
    if (messages !== undefined) await checkMessageFiles(services, requester, messages);
    const work =
      messages === undefined
        ? chatTurn(services.database, owner, settings, startOf(request, agent))
        : stateless({ ...settings, source: { type: 'messages', messages: toConversation(messages, path) } });
    return { ...work, ignoredFields };
  },

  repeat: async (record, { owner }, { database }) => repeatedTurn(database, owner, record),
});

/** Plans the same turn again: the assistant's message starts over. */
export function repeatedTurn(database: Database, owner: Owner, record: ExecutionRecord): Work<'chat.completion'> {
  const input = chatCompletion.input.parse(record.input);
  const { source, ...settings } = input;
  return source.type === 'messages'
    ? stateless(input)
    : chatTurn(database, owner, settings, { type: 'retry', turn: source });
}

function startOf(request: ChatRequest, agent: AgentRecord | null): TurnStart {
  const { message = '', attachments, session_id, regenerate_from, tool_outputs: outputs } = request;
  const temporary = request.temporary ?? false;
  if (outputs !== undefined) return { type: 'tool_outputs', session_id: session_id as string, outputs };
  return regenerate_from === undefined
    ? { type: 'message', message, attachments, session_id, temporary, agent_id: agent?.id ?? null }
    : { type: 'regeneration', message_id: regenerate_from, session_id };
}

/** Puts the user's own instructions in front of the agent's. */
async function withOwnInstructions(
  { database }: { database: Pick<Database, 'users'> },
  { user_id }: Owner,
  { instructions }: Pick<TurnSettings, 'instructions'>,
): Promise<Pick<TurnSettings, 'instructions'>> {
  const stored = await database.users.getInstructions(user_id);
  const own = stored === null ? null : instructionText(stored);
  if (own === null) return {};
  return { instructions: instructions === undefined ? own : `${own}\n\n${instructions}` };
}

/** Plans a request in OpenAI's form, which needs no session. */
function stateless(input: ChatCompletionInput): Work<'chat.completion'> {
  return { kind: 'chat.completion', model: input.model, input };
}

/** Plans a turn of a session. Beginning it locks the session and stores its messages. */
export function chatTurn(
  database: Database,
  owner: Owner,
  settings: TurnSettings,
  start: TurnStart,
): Work<'chat.completion'> {
  return {
    kind: 'chat.completion',
    model: settings.model,
    check: () => checkTurn(database, owner, start),
    begin: async (executionId) => {
      const { turn, opened, ...begun } = await beginTurn(database, owner, start, executionId);
      if (start.type === 'message') await attachDocuments(database, owner, start, begun);
      // A first message without attachments is already complete.
      const isWhole = opened === 'session' && start.type === 'message' && start.attachments === undefined;
      const opening = isWhole ? { opening: start.message } : {};
      return { ...begun, input: { ...settings, source: { type: 'session', ...turn, ...opening } } };
    },
  };
}

/** Adds a message's documents to its session. Undoing the turn removes them. */
async function attachDocuments(
  { knowledge }: Pick<Database, 'knowledge'>,
  owner: Owner,
  { attachments = [] }: Pick<Extract<TurnStart, { type: 'message' }>, 'attachments'>,
  begun: { session_id: string; undo(): Promise<void> },
): Promise<void> {
  const documents = documentsOf(attachments);
  if (documents.length === 0) return;
  const { session_id, undo } = begun;
  begun.undo = async () => {
    await undo();
    await knowledge.detach(owner, session_id, documents);
  };
  try {
    const attached = await knowledge.attach(owner, documents, session_id);
    if (attached < documents.length)
      throw new ChorusError(
        'invalid_request',
        'A document of this message has been deleted. Leave it out, or add it again.',
      );
  } catch (error) {
    await begun.undo().catch(() => undefined);
    throw error;
  }
}
