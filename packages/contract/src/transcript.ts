import { z } from 'zod';

/** The transcript of audio. */
export const transcriptItem = z.object({
  type: z.literal('transcript'),
  text: z.string(),
  model: z.string().describe('`provider/model` that transcribed it'),
  language: z.string().nullable().describe('ISO 639, such as `en`; null: the model does not report it'),
  duration_ms: z.int().describe('Length of the audio'),
});
export type TranscriptItem = z.infer<typeof transcriptItem>;
