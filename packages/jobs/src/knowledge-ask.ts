import { type KnowledgeAskInput, knowledgeAsk, type Owner } from '@chorus/contract';
import { beginTurn, checkTurn, type TurnStart } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { Work } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { agentOf, chatSettingsOf, turnKnowledge, turnSettings } from './turn-settings.ts';

type Question = Omit<KnowledgeAskInput, 'turn'>;

export const knowledgeAskJob = defineJobPlan(knowledgeAsk, {
  plan: async (request, requester, services) => {
    const { question, top_k, tags, entry_ids, session_id } = request;
    const { owner, path } = requester;
    const agent = await agentOf(services.database, owner, requester.agent, { session_id });
    const asked = { model: request.model, settings: chatSettingsOf(request), path };
    const settings = await turnSettings(services, agent, asked);
    const knowledge = turnKnowledge(agent, { top_k, tags, entry_ids }) ?? { top_k };
    const input = { ...settings, question, knowledge };
    if (session_id === undefined) return alone(input);
    return turnOf(services.database, owner, input, { type: 'message', message: question, session_id });
  },

  repeat: async (record, { owner }, { database }) => {
    const { turn, ...input } = knowledgeAsk.input.parse(record.input);
    return turn === undefined ? alone(input) : turnOf(database, owner, input, { type: 'retry', turn });
  },
});

function alone(input: Question): Work<'knowledge.ask'> {
  return { kind: 'knowledge.ask', model: input.model, input };
}

/** Plans a question in a session. A retry reads the session again. */
function turnOf(database: Database, owner: Owner, input: Question, start: TurnStart): Work<'knowledge.ask'> {
  return {
    kind: 'knowledge.ask',
    model: input.model,
    check: () => checkTurn(database, owner, start),
    begin: async (executionId) => {
      const { turn, opened, ...begun } = await beginTurn(database, owner, start, executionId);
      const asked = opened === 'retry' ? await database.messages.get(owner, turn.user_message_id) : null;
      return { ...begun, input: { ...input, question: asked?.content ?? input.question, turn } };
    },
  };
}
