import { z } from 'zod';
import { type JobKind, KINDS } from './all-kinds.ts';
import { listQuery } from './list.ts';
import { MAX_COMPONENTS, missingComponent } from './missing-component.ts';
import { OPENAI_VOICES } from './names/speech-format.ts';
import { TIMESTAMPS } from './transcript.ts';

export type Capability = NonNullable<(typeof KINDS)[JobKind]['capability']>;

/** The capabilities of models. `vision`: a chat model that accepts images. */
export const CAPABILITIES = [...new Set(Object.values(KINDS).flatMap(({ capability }) => capability ?? []))] as [
  Capability,
  ...Capability[],
];

/** Maximum number of models, or voices, in a list. */
export const MAX_MODELS = 100_000;

/** Abilities of a speech model. */
export const speechOptions = z.object({
  instructions: z.boolean().describe('Whether it follows `instructions`; otherwise it ignores them'),
  speed: z.object({ min: z.number(), max: z.number() }).nullable().describe('Values of `speed`; null: only 1'),
});
export type SpeechOptions = z.infer<typeof speechOptions>;

/** Abilities of a transcription model. */
export const transcriptionOptions = z.object({
  languages: z.array(z.string().max(32)).max(500).nullable().describe('ISO 639; null: no list is known'),
  prompt: z.boolean().describe('Whether it takes a `prompt`'),
  temperature: z.boolean().describe('Whether it takes a `temperature`; otherwise it ignores it'),
  timestamps: z.array(z.enum(TIMESTAMPS)).max(TIMESTAMPS.length).describe('Which times it reports'),
  translates: z.boolean().describe('Whether it can translate into English'),
});
export type TranscriptionOptions = z.infer<typeof transcriptionOptions>;

/**
 * A model that a worker can run, as workers publish it and `GET /models` lists it (in OpenAI's format, with
 * more fields).
 */
export const modelRecord = z.object({
  id: z.string().describe('`provider/model`'),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string().describe('The provider'),
  capabilities: z.array(z.enum(CAPABILITIES)).max(CAPABILITIES.length),
  context_window: z.int().nullable().default(null).describe('Maximum tokens of a conversation; null: unknown'),
  unsupported_settings: z
    .array(z.string().max(64))
    .max(64)
    .optional()
    .describe(
      'Fields of a request that this model refuses, single values such as `response_format.json_object`, ' +
        'and the parts `input_audio` and `file`',
    ),
  ignored_settings: z
    .array(z.string().max(64))
    .max(64)
    .optional()
    .describe('Fields of a chat request that this model ignores; responses list them in `X-Ignored-Fields`'),
  speech_options: speechOptions.optional().describe('For speech models, if known'),
  transcription_options: transcriptionOptions.optional().describe('For transcription models, if known'),
  price_known: z
    .boolean()
    .optional()
    .describe('Whether its costs are known. If not, budgets do not count them. Built-in models are free.'),
  unavailable: z
    .string()
    .max(1_000)
    .optional()
    .describe('Why it cannot run here, and what to install. Requests for it fail with `feature_unavailable`.'),
});
export type ModelRecord = z.infer<typeof modelRecord>;

/** `GET /models`: all at once, as OpenAI's clients expect, unless a limit is given. */
export const modelsQuery = listQuery.extend({
  limit: listQuery.shape.limit.unwrap().optional().describe('Page size, 1 to 100. Default: all models.'),
});

/**
 * Returns whether a model may receive images, judging by its entry. Entries of `compatible` servers do not say, so
 * they may.
 * @param listed the model's entry in a worker's list, if any
 */
export function acceptsImages(listed: Pick<ModelRecord, 'capabilities' | 'owned_by'> | undefined): boolean {
  return listed === undefined || listed.owned_by === 'compatible' || listed.capabilities.includes('vision');
}

export const speechVoice = z.object({
  model: z.string().describe('`provider/model`'),
  id: z.string().describe('The value for `voice` in a request'),
  name: z.string(),
  language: z.string().nullable().describe('BCP 47; null: any language of the model'),
  stands_for: z
    .array(z.string().max(32))
    .max(OPENAI_VOICES.length)
    .optional()
    .describe("OpenAI's voices that this one is used for"),
});
export type SpeechVoice = z.infer<typeof speechVoice>;

export type Voice = Omit<SpeechVoice, 'model'>;

/** Drops capabilities that only later versions know, so that workers can be upgraded first. */
const knownCapabilities = z
  .array(z.string().max(64))
  .max(64)
  .transform((names) => names.filter((name): name is Capability => CAPABILITIES.some((known) => known === name)));

/** The engine with which a worker reads text from images. */
export const ocrEngine = z.object({
  name: z.enum(['tesseract', 'tesseract.js']).describe("`tesseract` is the system's program"),
  version: z.string().max(100),
  languages: z.array(z.string().max(64)).max(500).describe('Values for `languages` in a request'),
});
export type OcrEngine = z.infer<typeof ocrEngine>;

/** The health of a worker process, published in Redis while it lives. */
export const workerHealth = z.object({
  pool: z.string(),
  pid: z.int(),
  host: z.string(),
  /** Jobs that are running, and the most that may run at once. */
  active: z.int(),
  concurrency: z.int(),
  models: z.array(modelRecord.extend({ capabilities: knownCapabilities })).max(MAX_MODELS),
  /**
   * Configured providers with the outcome of their latest calls. `any_model`: the provider accepts unlisted
   * names.
   */
  providers: z
    .array(
      z.object({
        name: z.string(),
        status: z.enum(['ok', 'failing', 'unknown']),
        any_model: z.boolean(),
        /** Absent: it needs no key, or a worker of an earlier version. */
        source: z.enum(['environment', 'stored']).optional(),
        /** Whether it has a batch endpoint. Absent: no. */
        economy: z.boolean().optional(),
      }),
    )
    .max(100),
  default_model: z.string().nullable(),
  /** Voices of its speech models, as far as known. */
  voices: z.array(speechVoice).max(MAX_MODELS).optional(),
  ocr: ocrEngine.optional(),
  /** Components that its machine lacks for its jobs. Absent: nothing, or a worker of an earlier version. */
  missing: z.array(missingComponent).max(MAX_COMPONENTS).optional(),
  started_at: z.iso.datetime(),
});
export type WorkerHealth = z.infer<typeof workerHealth>;
