import { z } from 'zod';
import { modelName } from './delivery.ts';

/** Uses of models that have a default. */
export const DEFAULT_MODEL_USES = ['chat', 'image', 'video', 'speech', 'transcription'] as const;
export type DefaultModelUse = (typeof DEFAULT_MODEL_USES)[number];

const MAX_CHAINS = 50;
const MAX_CHAIN = 10;

/** Default models and fallbacks that operators have set. */
export interface StoredModelSettings {
  /** Absent: the first model that can do it. */
  defaults: Partial<Record<DefaultModelUse, string>>;
  /** Chains of models. Each applies to requests for its first model. */
  fallbacks: string[][];
}

const source = z
  .enum(['environment', 'stored', 'automatic'])
  .describe('`environment`: a variable, which takes precedence; `automatic`: the first model that can do it');

export const modelSettings = z.object({
  object: z.literal('model_settings'),
  defaults: z.object(
    Object.fromEntries(
      DEFAULT_MODEL_USES.map((use) => [use, z.object({ model: z.string().nullable(), source })]),
    ) as Record<DefaultModelUse, z.ZodObject<{ model: z.ZodNullable<z.ZodString>; source: typeof source }>>,
  ),
  fallbacks: z.object({
    chains: z.array(z.array(z.string()).max(100)).max(1_000),
    source,
  }),
});
export type ModelSettings = z.infer<typeof modelSettings>;

const choice = modelName.nullable().optional().describe('`provider/model`. Null: the first model that can do it');

/** `PATCH /model-settings` */
export const modelSettingsPatch = z
  .strictObject({
    ...(Object.fromEntries(DEFAULT_MODEL_USES.map((use) => [use, choice])) as Record<DefaultModelUse, typeof choice>),
    fallbacks: z
      .array(
        z
          .array(modelName)
          .min(2)
          .max(MAX_CHAIN)
          .refine((chain) => new Set(chain).size === chain.length, { error: 'must name each model once' }),
      )
      .max(MAX_CHAINS)
      .refine((chains) => new Set(chains.map(([first]) => first)).size === chains.length, {
        error: 'must have one chain for each first model',
      })
      .optional()
      .describe('Chains of chat models: the others answer, in this order, when the first fails'),
  })
  .refine((patch) => Object.keys(patch).length > 0, { error: 'send at least one field' });
export type ModelSettingsPatch = z.infer<typeof modelSettingsPatch>;
