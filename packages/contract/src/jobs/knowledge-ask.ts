import { z } from 'zod';
import { defineJob } from '../define-job.ts';
import { knowledgeUse } from '../knowledge.ts';
import { MAX_FALLBACKS, samplingSettings } from './chat-completion.ts';

/** A question that is answered from the scope's knowledge and from nothing else, each statement cited. */
export const knowledgeAskJob = defineJob({
  kind: 'knowledge.ask',
  surface: 'knowledge',
  pool: 'text',
  input: z.object({
    /** `provider/model` that answers. */
    model: z.string(),
    settings: samplingSettings,
    /** As for a chat turn. */
    instructions: z.string().optional(),
    fallbacks: z.array(z.string()).max(MAX_FALLBACKS).optional(),
    question: z.string(),
    knowledge: knowledgeUse,
    /** The turn of a session that it is; absent: it stands alone. */
    turn: z
      .object({ session_id: z.string(), user_message_id: z.string(), assistant_message_id: z.string() })
      .optional(),
  }),
  policy: { attempts: 1, timeoutMs: 120_000 },
});
export type KnowledgeAskInput = z.infer<typeof knowledgeAskJob.input>;
