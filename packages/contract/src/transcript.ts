import { z } from 'zod';

/** Units of a transcript that can have times. */
export const TIMESTAMPS = ['segment', 'word'] as const;

export const TRANSCRIPT_LIMITS = { segments: 20_000, words: 50_000 } as const;

export const timedText = z.object({ text: z.string(), start_ms: z.int(), end_ms: z.int() });
export type TimedText = z.infer<typeof timedText>;

/** The transcript of audio. */
export const transcriptItem = z.object({
  type: z.literal('transcript'),
  text: z.string(),
  model: z.string().describe('`provider/model` that transcribed it'),
  language: z.string().nullable().describe('ISO 639, such as `en`; null: the model does not report it'),
  duration_ms: z.int().describe('Length of the audio'),
  segments: z
    .array(timedText)
    .max(TRANSCRIPT_LIMITS.segments)
    .optional()
    .describe('Phrases with their times; empty if the model reports none'),
  words: z.array(timedText).max(TRANSCRIPT_LIMITS.words).optional().describe('Words with their times, if requested'),
});
export type TranscriptItem = z.infer<typeof transcriptItem>;
