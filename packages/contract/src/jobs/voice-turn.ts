import { z } from 'zod';
import { defineJob } from '../define-job.ts';
import { SPEECH_FORMATS } from '../speech-format.ts';
import { transcriptItem } from '../transcript.ts';
import { chatCompletion } from './chat-completion.ts';

/**
 * A turn that is heard or read, answered by a chat turn of its session, and spoken. The chat turn is an execution of its own, whose ids are given here, so that an
 * attempt that takes over finds it.
 */
export const voiceTurn = defineJob({
  kind: 'voice.turn',
  surface: 'voice',
  pool: 'voice',
  input: z.object({
    said: z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      /** `model`: `provider/model` that hears it. `heard`: what an earlier execution has heard there. */
      z.object({ type: z.literal('audio'), asset_id: z.string(), model: z.string(), heard: transcriptItem.optional() }),
    ]),
    chat: z.object({
      execution_id: z.string(),
      /** What an earlier execution of this turn has left: its chat turn, to be followed, or one that did not succeed, to be run again under the id above. */
      before: z
        .discriminatedUnion('type', [
          z.object({ type: z.literal('begun') }),
          z.object({ type: z.literal('failed'), execution_id: z.string() }),
        ])
        .optional(),
      settings: chatCompletion.input.omit({ source: true }),
      session_id: z.string(),
      user_message_id: z.string(),
      assistant_message_id: z.string(),
      /** Whether the turn opens its session. */
      opens: z.boolean(),
      agent_id: z.string().nullable(),
      /** Who asks, for the chat turn's record. */
      api_key_id: z.string().nullable(),
      request_id: z.string().nullable(),
    }),
    speech: z.object({
      /** `provider/model` */
      model: z.string(),
      /** Null: the model's own. */
      voice: z.string().nullable(),
      format: z.enum(SPEECH_FORMATS),
      /** Whether the sound is told piece by piece, too, as it is made. */
      stream: z.boolean(),
    }),
  }),
  policy: { attempts: 1, timeoutMs: 1_800_000 },
});
export type VoiceTurnInput = z.infer<typeof voiceTurn.input>;
