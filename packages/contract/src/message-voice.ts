import { z } from 'zod';

const at = (what: string) =>
  z.int().nullable().describe(`Milliseconds from the start of the turn until ${what}; null: it never happened`);

/** How an answer was spoken. The turn starts when the user stops speaking, or when the text arrives. */
export const messageVoice = z.object({
  transcription_model: z
    .string()
    .nullable()
    .describe('`provider/model` that transcribed the question; null: it was text'),
  language: z.string().nullable().describe('Language of the question, if the model reports it'),
  speech_model: z.string().nullable().describe('`provider/model` that spoke'),
  voice: z.string().nullable().describe("Null: the model's default voice"),
  spoken_ms: z.int().describe('Length of the generated audio'),
  heard_ms: z.int().nullable().describe('How much of the audio was played; null: unknown, as over HTTP'),
  interrupted: z.boolean().describe('Whether the user interrupted: the message is cut to what was played'),
  cost_usd: z
    .number()
    .nullable()
    .describe('Cost of transcription and speech, without the answer itself; null: unknown price'),
  stages: z.object({
    transcribed_ms: at('the question was transcribed'),
    first_text_ms: at('the first word of the answer'),
    first_audio_ms: at('the first audio'),
    text_ms: at('the last word'),
    audio_ms: at('the last audio was generated'),
  }),
});
export type MessageVoice = z.infer<typeof messageVoice>;
