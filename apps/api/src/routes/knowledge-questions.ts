import { execution, knowledgeAsk, knowledgeSearch } from '@chorus/contract';
import { samplingSettingsOf } from '@chorus/conversations';
import { defineRoute } from '../define-route.ts';
import { agentOf, turnKnowledge, turnSettings } from '../delivery/apply-agent.ts';
import { deliver, follows } from '../delivery/deliver.ts';
import { readPreference } from '../delivery/prefer.ts';
import { questionWork } from '../delivery/question-request.ts';
import { webhookOf } from '../delivery/webhook-of.ts';

const common = {
  method: 'post',
  area: 'knowledge',
  needs: 'run',
  executes: true,
  answer: execution,
  streams: true,
  headers: {
    Prefer:
      '`respond-async`: the queued execution at once. `wait=<s>`: how long the answer waits for the end, 0 to 300, default 60.',
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
  handle: async ({ body, owner, services, requestId, context, request }) => {
    const { question, top_k, tags, entry_ids, session_id, temperature, max_tokens } = body;
    const agent = await agentOf(services.database, owner, context.agent, { session_id });
    const settings = samplingSettingsOf({ temperature, max_tokens });
    const knowledge = turnKnowledge(agent, { top_k, tags, entry_ids }) ?? { top_k };
    const options = { stream: body.stream, preference: readPreference(request.headers.prefer) };
    const dispatched = await services.dispatcher.dispatch({
      ...questionWork(services.database, owner, {
        common: await turnSettings(services, agent, { model: body.model, settings }),
        question,
        knowledge,
        session_id,
      }),
      id: context.plannedExecutionId,
      apiKeyId: context.credential.key?.id ?? null,
      owner,
      requestId,
      metadata: body.metadata,
      webhookUrl: webhookOf(services, body),
      follow: follows(options),
    });
    return deliver(context, dispatched, options);
  },
});

export const searchKnowledge = defineRoute({
  ...common,
  path: '/console/knowledge/search',
  summary: 'Search your documents',
  description:
    'What a question would be answered from: the passages that fit best, each a `passage` item of the output, the best first.',
  body: knowledgeSearch,
  handle: async ({ body, owner, services, requestId, context, request }) => {
    const { query, top_k, tags, entry_ids } = body;
    const options = { stream: body.stream, preference: readPreference(request.headers.prefer) };
    const dispatched = await services.dispatcher.dispatch({
      kind: 'knowledge.search',
      model: null,
      prepare: () => ({ input: { query, knowledge: { top_k, tags, entry_ids } } }),
      id: context.plannedExecutionId,
      apiKeyId: context.credential.key?.id ?? null,
      owner,
      requestId,
      metadata: body.metadata,
      webhookUrl: webhookOf(services, body),
      follow: follows(options),
    });
    return deliver(context, dispatched, options);
  },
});
