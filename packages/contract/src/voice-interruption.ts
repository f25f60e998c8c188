import { z } from 'zod';

/** `POST /voice/interrupt/{session_id}` */
export const voiceInterruption = z.object({
  object: z.literal('voice.interruption'),
  session_id: z.string(),
  interrupted: z.boolean().describe('False: no turn was running, and nothing was being said'),
  execution_id: z.string().nullable().describe('That wrote the answer'),
  message_id: z.string().nullable().describe('The answer: it is cut to what was heard'),
  heard_ms: z.int().nullable().describe('So much of its sound was heard; null: nobody tells'),
  heard: z.string().nullable().describe('What of its text was heard; null: nobody tells'),
});
export type VoiceInterruption = z.infer<typeof voiceInterruption>;
