import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { assetItem } from '../execution.ts';
import { SPEECH_FORMATS } from '../names/speech-format.ts';
import { SPEECH_LIMITS } from '../names/voice-limits.ts';

/** Characters that cost one turn in the queue: about a minute of speech. */
const CHARACTERS_PER_TURN = 1_000;

export const speech = defineKind({
  kind: 'speech',
  surface: 'voice',
  pool: 'voice',
  label: 'Speech',
  path: '/speech',
  route: {
    summary: 'Speak a text',
    description:
      'The result is an asset with the audio. A stream has `audio.delta` events with audio in base64 as it is generated; their `offset` is the number of bytes before. After a `text.reset`, the audio starts over.',
    headers: {
      Accept:
        'If `audio/*`, or a format such as `audio/ogg`, comes first, the response is the audio itself, as it is generated.',
    },
    answerHeaders: { 'X-Execution-ID': 'For audio responses: the execution.' },
  },
  request: z
    .strictObject({
      input: z.string().trim().min(1).max(SPEECH_LIMITS.textCharacters).describe('The text to speak'),
      model: modelName.optional().describe('`provider/model`. Default: the configured model'),
      voice: z.string().trim().min(1).max(100).optional().describe("One of the model's voices, or one of OpenAI's"),
      format: z.enum(SPEECH_FORMATS).optional().describe('Default: by `Accept`, else `mp3`'),
      response_format: z.enum(SPEECH_FORMATS).optional().describe('The same as `format`'),
      speed: z
        .number()
        .min(0.25)
        .max(4)
        .default(1)
        .describe('1 is normal. `GET /models` lists what each model supports'),
      instructions: z
        .string()
        .trim()
        .max(SPEECH_LIMITS.instructionCharacters)
        .optional()
        .describe('How to speak. Models without support ignore it and report that in `warnings`'),
      ...delivery,
    })
    .refine(({ format, response_format }) => !format || !response_format || format === response_format, {
      path: ['response_format'],
      error: 'must be the same as `format`, or be omitted',
    }),
  input: z.object({
    text: z.string(),
    /** `provider/model` */
    model: z.string(),
    /** Null: the model's default voice. */
    voice: z.string().nullable(),
    format: z.enum(SPEECH_FORMATS),
    speed: z.number(),
    /** Also null for a model that ignores them. */
    instructions: z.string().nullable(),
    /** Whether audio is also streamed in chunks. */
    stream: z.boolean(),
    /** Warnings for the execution, for example about ignored fields. */
    warnings: z.array(z.string()).max(10),
  }),
  output: assetItem,
  subjectOf: ({ text }) => text,
  capability: 'speech',
  timeoutMs: 1_800_000,
  cost: ({ text }) => Math.ceil(text.length / CHARACTERS_PER_TURN),
  demand: ({ model, text }) => ({ of: 'speech', model, characters: text.length }),
  soundOf: ({ format }) => format,
  batchable: true,
});
export type SpeechInput = z.infer<typeof speech.input>;
