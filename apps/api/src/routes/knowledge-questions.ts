import { execution, knowledgeAsk, knowledgeSearch } from '@chorus/contract';
import { agentOf, samplingSettingsOf, turnKnowledge, turnSettings } from '@chorus/conversations';
import { defineRoute } from '../define-route.ts';
import { questionWork } from '../delivery/question-request.ts';
import { PREFER, runWork } from '../delivery/run-work.ts';

const common = {
  method: 'post',
  area: 'knowledge',
  needs: 'run',
  executes: true,
  answer: execution,
  streams: true,
  headers: {
    Prefer: PREFER,
  },
} as const;

export const askKnowledge = defineRoute({
  ...common,
  path: '/console/knowledge/ask',
  summary: 'Ask your documents',
  description:
    'Answered from what the documents of the scope say and from nothing else: the text refers by `[1]` to a `citation` item of the output, whose `quote` stands word for word in its document. ' +
    'Where they do not hold the answer, it says so and cites nothing. With `session_id` it is a turn of that session. ' +
    "An agent (`X-Agent-ID`, else the session's) gives its instructions, and model, temperature and tags that the request leaves out. " +
    'Without a key for a provider `embedded/assistant` answers with the sentences that fit best, and says so.',
  body: knowledgeAsk,
  refuses: ['not_found', 'session_locked'],
  handle: async ({ body, owner, services, context }) => {
    const { question, top_k, tags, entry_ids, session_id, temperature, max_tokens } = body;
    const agent = await agentOf(services.database, owner, context.agent, { session_id });
    const settings = samplingSettingsOf({ temperature, max_tokens });
    const knowledge = turnKnowledge(agent, { top_k, tags, entry_ids }) ?? { top_k };
    const work = questionWork(services.database, owner, {
      common: await turnSettings(services, agent, { model: body.model, settings }),
      question,
      knowledge,
      session_id,
    });
    return runWork(context, work, body);
  },
});

export const searchKnowledge = defineRoute({
  ...common,
  path: '/console/knowledge/search',
  summary: 'Search your documents',
  description:
    'What a question would be answered from: the passages that fit best, each a `passage` item of the output, the best first.',
  body: knowledgeSearch,
  handle: async ({ body, context }) => {
    const { query, top_k, tags, entry_ids } = body;
    const input = { query, knowledge: { top_k, tags, entry_ids } };
    return runWork(context, { kind: 'knowledge.search', model: null, prepare: () => ({ input }) }, body);
  },
});
