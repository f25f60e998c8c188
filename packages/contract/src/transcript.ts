import { z } from 'zod';

/** What was heard in a sound. */
export const transcriptItem = z.object({
  type: z.literal('transcript'),
  text: z.string(),
  model: z.string().describe('`provider/model` that heard it'),
  language: z.string().nullable().describe('ISO 639, such as `en`; null where the model does not say'),
  duration_ms: z.int().describe('Of the sound'),
});
export type TranscriptItem = z.infer<typeof transcriptItem>;
