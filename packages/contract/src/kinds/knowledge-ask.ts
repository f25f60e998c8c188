import { z } from 'zod';
import { chatSettings, MAX_FALLBACKS } from '../chat.ts';
import { citationItem } from '../citation.ts';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { mostTokens } from '../demand.ts';
import { textItem } from '../execution.ts';
import { recordId } from '../ids.ts';
import { knowledgeFilter, knowledgeUse, questionText } from '../knowledge.ts';

/** `POST /console/knowledge/ask` */
const request = z.strictObject({
  question: questionText,
  top_k: z.int().min(1).max(50).default(8).describe('Maximum number of passages to answer from'),
  ...knowledgeFilter,
  session_id: recordId.optional().describe('Adds the question and its answer to this session'),
  model: modelName.optional().describe('`provider/model`. Default: the configured model'),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  ...delivery,
});
export type KnowledgeAskRequest = z.infer<typeof request>;

/** A question answered only from the scope's knowledge, with citations. */
export const knowledgeAsk = defineKind({
  kind: 'knowledge.ask',
  surface: 'knowledge',
  pool: 'text',
  label: 'Question',
  path: '/console/knowledge/ask',
  route: {
    summary: 'Ask your documents',
    description:
      'Answers only from your documents. The text contains `[1]` for each `citation` output item, whose `quote` is a verbatim passage. ' +
      'If the documents have no answer, it says so and cites nothing. With `session_id`, the question is a turn of that session. ' +
      "An agent (`X-Agent-ID`, else the session's) provides instructions, and defaults for model, temperature and tags. " +
      'Without a provider key, `embedded/assistant` answers with the most relevant sentences, and says so.',
    refuses: ['not_found', 'session_locked'],
  },
  request,
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    settings: chatSettings,
    instructions: z.string().optional(),
    fallbacks: z.array(z.string()).max(MAX_FALLBACKS).optional(),
    question: z.string(),
    knowledge: knowledgeUse,
    /** The session turn. Absent: the question has no session. */
    turn: z
      .object({ session_id: z.string(), user_message_id: z.string(), assistant_message_id: z.string() })
      .optional(),
  }),
  output: z.discriminatedUnion('type', [textItem, citationItem]),
  subjectOf: ({ question }) => question,
  capability: 'chat',
  component: 'search',
  timeoutMs: 120_000,
  demand: ({ model, fallbacks = [], instructions, question, settings: { max_tokens } }) => ({
    of: 'tokens',
    models: [model, ...fallbacks],
    input: mostTokens([instructions ?? '', question]),
    output: max_tokens ?? null,
  }),
  turnOf: ({ turn }) => turn,
  batchable: false,
});
export type KnowledgeAskInput = z.infer<typeof knowledgeAsk.input>;
