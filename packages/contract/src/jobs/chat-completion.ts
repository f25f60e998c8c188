import { z } from 'zod';
import { chatMessage, MAX_MESSAGES } from '../chat.ts';
import { defineJob } from '../define-job.ts';
import { knowledgeUse } from '../knowledge.ts';

/** Models that may stand in, at most: an agent's, or those that `FALLBACKS` configures. */
export const MAX_FALLBACKS = 100;

/** What shapes the model's answer; every field absent means the provider's default. */
export const samplingSettings = z.strictObject({
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().optional(),
  stop: z.array(z.string()).max(8).optional(),
  seed: z.int().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
});
export type SamplingSettings = z.infer<typeof samplingSettings>;
export type SettingName = keyof SamplingSettings;

/** A chat turn. Either the messages come with the job, or they are the session's up to the user's message. */
export const chatCompletion = defineJob({
  kind: 'chat.completion',
  surface: 'chat',
  pool: 'text',
  // Not strict: during an upgrade a worker may get jobs of a newer API, with fields that it can do without.
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    settings: samplingSettings,
    /** What the model is told before the conversation: the agent's, as they were when the turn began. */
    instructions: z.string().optional(),
    /** Models that stand in for this one, in their order; absent: those configured. */
    fallbacks: z.array(z.string()).max(MAX_FALLBACKS).optional(),
    /** What the model is given to answer from; absent: nothing. */
    knowledge: knowledgeUse.optional(),
    source: z.discriminatedUnion('type', [
      /** OpenAI's form: stateless, and its clients can't take text back, so no takeover once text was shown. */
      z.object({ type: z.literal('messages'), messages: z.array(chatMessage).max(MAX_MESSAGES) }),
      z.object({
        type: z.literal('session'),
        session_id: z.string(),
        user_message_id: z.string(),
        assistant_message_id: z.string(),
        /** The user's message, where the turn opens its session: nothing lies before it, so nothing needs to be read. */
        opening: z.string().optional(),
      }),
    ]),
  }),
  policy: { attempts: 1, timeoutMs: 120_000 },
});
export type ChatCompletionInput = z.infer<typeof chatCompletion.input>;
