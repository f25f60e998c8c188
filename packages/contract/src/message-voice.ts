import { z } from 'zod';

const at = (what: string) =>
  z.int().nullable().describe(`Milliseconds from the beginning of the turn until ${what}; null: that did not happen`);

/** How an answer was spoken. The turn begins where its speech ended, or where it came in writing. */
export const messageVoice = z.object({
  transcription_model: z.string().nullable().describe('`provider/model` that heard the question; null: it was written'),
  language: z.string().nullable().describe('Of the question, where the model says'),
  speech_model: z.string().nullable().describe('`provider/model` that spoke'),
  voice: z.string().nullable().describe('Null: the usual one of the model'),
  spoken_ms: z.int().describe('So much sound was made of it'),
  heard_ms: z.int().nullable().describe('So much of that was heard; null: nobody tells, as over HTTP'),
  interrupted: z.boolean().describe('Whether somebody spoke meanwhile: the message holds what was heard until then'),
  cost_usd: z
    .number()
    .nullable()
    .describe('What hearing and speaking cost, beside the answer itself; null: the price is not known'),
  stages: z.object({
    transcribed_ms: at('the question was written down'),
    first_text_ms: at('the first word of the answer'),
    first_audio_ms: at('the first sound'),
    text_ms: at('the last word'),
    audio_ms: at('the last sound was made'),
  }),
});
export type MessageVoice = z.infer<typeof messageVoice>;
