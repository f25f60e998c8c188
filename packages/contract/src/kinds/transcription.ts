import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { textItem } from '../execution.ts';
import { idSchema } from '../ids.ts';
import { TIMESTAMPS, transcriptItem } from '../transcript.ts';

/** Length of audio that costs one turn in the queue. */
const TURN_MS = 60_000;

const TASKS = ['transcribe', 'translate'] as const;

/** `POST /transcription`. In `multipart/form-data`, a part `file` replaces `asset_id`. */
export const transcription = defineKind({
  kind: 'transcription',
  surface: 'voice',
  pool: 'voice',
  label: 'Transcription',
  path: '/transcription',
  route: {
    summary: 'Transcribe audio',
    description:
      'Send audio or video as a file or an asset, up to two hours. The output contains the text, and a transcript with the times of segments and words, as far as the model reports them. A stream has `text.delta` events while a long file is transcribed.',
    file: { as: 'asset_id' },
  },
  request: z.strictObject({
    asset_id: idSchema('asset').describe('Audio or video that was uploaded or generated before'),
    model: modelName.optional().describe('`provider/model`. Default: the configured model'),
    task: z
      .enum(TASKS)
      .default('transcribe')
      .describe('`translate`: into English. `GET /models` lists the models that can'),
    language: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/, { error: 'must be an ISO 639 code such as en' })
      .max(32)
      .optional()
      .describe('Language of the audio, as an ISO 639 code. Default: detected'),
    prompt: z.string().trim().max(4_000).optional().describe('Names and terms that occur, or the preceding text'),
    temperature: z.number().min(0).max(1).optional(),
    timestamp_granularities: z
      .array(z.enum(TIMESTAMPS))
      .max(TIMESTAMPS.length)
      .optional()
      .describe('`word`: times of words, too. Times of segments are always included if the model reports them'),
    ...delivery,
  }),
  input: z.object({
    asset_id: z.string(),
    /** As declared by the file. Null: unknown. */
    duration_ms: z.int().nullable(),
    /** `provider/model` */
    model: z.string(),
    task: z.enum(TASKS),
    language: z.string().nullable(),
    prompt: z.string().nullable(),
    temperature: z.number().nullable(),
    words: z.boolean(),
    /** Warnings for the execution, for example about ignored fields. */
    warnings: z.array(z.string()).max(10),
  }),
  output: z.discriminatedUnion('type', [textItem, transcriptItem]),
  subjectOf: ({ asset_id }) => asset_id,
  capability: 'transcription',
  timeoutMs: 3_600_000,
  cost: ({ duration_ms }) => Math.max(1, Math.ceil((duration_ms ?? 0) / TURN_MS)),
  demand: ({ model, duration_ms }) => ({
    of: 'transcript',
    model,
    seconds: duration_ms === null ? null : duration_ms / 1_000,
  }),
  batchable: true,
});
export type TranscriptionInput = z.infer<typeof transcription.input>;
