import { z } from 'zod';
import { listQuery } from './list.ts';

export const PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'groq',
  'elevenlabs',
  'deepgram',
  'fal',
  'compatible',
  'embedded',
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** What a model can do. `vision`: a chat model that sees. The others are the jobs that it can be asked for. */
export const CAPABILITIES = [
  'chat',
  'vision',
  'image',
  'video',
  'speech',
  'transcription',
  'embedding',
  'ocr',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Models, or voices, that one list may have. */
export const MAX_MODELS = 100_000;

/** A model that some worker can run, as workers publish it and `GET /models` lists it (OpenAI's shape and more). */
export const modelRecord = z.object({
  id: z.string().describe('`provider/model`'),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string().describe('The provider'),
  capabilities: z.array(z.enum(CAPABILITIES)).max(CAPABILITIES.length),
  context_window: z
    .int()
    .nullable()
    .default(null)
    .describe('Tokens that a conversation may have; null where the provider does not say'),
  unsupported_settings: z
    .array(z.string().max(64))
    .max(32)
    .optional()
    .describe('Fields of a chat request that this model refuses'),
});
export type ModelRecord = z.infer<typeof modelRecord>;

/** `GET /models`: all of them, as OpenAI's clients expect, unless a page is asked for. */
export const modelsQuery = listQuery.extend({
  limit: listQuery.shape.limit.unwrap().optional().describe('How many at most, 1 to 100; absent: all of them.'),
});

/**
 * Whether a model may be shown pictures, as far as it is known: what its list says; the names of what `compatible` servers run tell nothing.
 *
 * @param listed the model in some worker's list; undefined: it is in none
 */
export function maySee(listed: Pick<ModelRecord, 'capabilities' | 'owned_by'> | undefined): boolean {
  return listed === undefined || listed.owned_by === 'compatible' || listed.capabilities.includes('vision');
}

/** How a model can speak. */
export const speechVoice = z.object({
  model: z.string().describe('`provider/model`'),
  id: z.string().describe('For `voice` of a request'),
  name: z.string(),
  language: z.string().nullable().describe('BCP 47; null: any that the model speaks'),
});
export type SpeechVoice = z.infer<typeof speechVoice>;

/** What a worker process says of itself in Redis, renewed while it lives. */
export const workerHealth = z.object({
  pool: z.string(),
  pid: z.int(),
  host: z.string(),
  /** Jobs that it runs now, and may run at once. */
  active: z.int(),
  concurrency: z.int(),
  models: z.array(modelRecord).max(MAX_MODELS),
  /** Configured providers with the outcome of their last calls; `any_model` where the provider takes names it does not list. */
  providers: z
    .array(z.object({ name: z.string(), status: z.enum(['ok', 'failing', 'unknown']), any_model: z.boolean() }))
    .max(100),
  default_model: z.string().nullable(),
  /** Of the models that speak, as far as they are known. */
  voices: z.array(speechVoice).max(MAX_MODELS).optional(),
  started_at: z.iso.datetime(),
});
export type WorkerHealth = z.infer<typeof workerHealth>;
