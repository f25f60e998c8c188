import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { MOST_IMAGE_TOKENS, mostTokens } from '../demand.ts';
import { assetItem } from '../execution.ts';
import { idSchema } from '../ids.ts';
import {
  IMAGE_OPTIONS,
  imageOptions,
  imageOptionsOf,
  jobSize,
  mediaPrompt,
  mediaSeed,
  requestedSize,
} from '../iris.ts';

/** `POST /iris/generate` */
export const imageRequest = z
  .strictObject({
    prompt: mediaPrompt.optional(),
    prompts: z
      .array(mediaPrompt)
      .min(1)
      .max(20)
      .optional()
      .describe('Several prompts at once; cannot be combined with `prompt`'),
    n: z.int().min(1).max(10).default(1).describe('Images per prompt'),
    size: requestedSize.optional().describe("For example `1024x1024`. Default: the model's"),
    seed: mediaSeed
      .optional()
      .describe(
        'The same request with the same seed gives the same image, if the model supports it. Each further image uses the next seed',
      ),
    model: modelName.optional(),
    negative_prompt: z.string().trim().min(1).max(8_000).optional().describe('What the image should not show'),
    reference_asset_ids: z.array(idSchema('asset')).min(1).max(16).optional().describe('Reference images'),
    mask_asset_id: idSchema('asset')
      .optional()
      .describe('An image of the same size as the first reference, transparent where it may change'),
    ...imageOptions,
    ...delivery,
  })
  .refine(({ prompt, prompts }) => (prompt === undefined) !== (prompts === undefined), {
    path: ['prompt'],
    error: 'send exactly one of `prompt` and `prompts`',
  })
  .refine(
    ({ mask_asset_id, reference_asset_ids }) => mask_asset_id === undefined || reference_asset_ids !== undefined,
    {
      path: ['mask_asset_id'],
      error: 'needs `reference_asset_ids`',
    },
  );
export type ImageRequest = z.infer<typeof imageRequest>;

/** Images: `n` of each prompt, in order. */
export const irisImage = defineKind({
  kind: 'iris.image',
  surface: 'iris',
  pool: 'media',
  label: 'Images',
  path: '/iris/generate',
  route: {
    summary: 'Generate images',
    description:
      'Generates `n` images per prompt. Each image is an `asset` output item, streamed as soon as it is finished. Without a provider key, ' +
      '`embedded/canvas` draws the scene by rules, not by a neural model.',
  },
  request: imageRequest,
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    prompts: z.array(z.string()).min(1).max(20),
    /** Per prompt. */
    n: z.int().min(1),
    size: jobSize.nullable(),
    /** The first image's seed. Each further image uses the next. */
    seed: z.int().nullable(),
    negative_prompt: z.string().nullable(),
    reference_asset_ids: z.array(z.string()).max(16),
    mask_asset_id: z.string().optional(),
    options: z.object(imageOptions).optional(),
  }),
  output: assetItem,
  subjectOf: ({ prompts }) => prompts?.[0],
  capability: 'image',
  timeoutMs: 900_000,
  cost: ({ prompts, n }) => prompts.length * n,
  demand: ({ model, prompts, n, size, reference_asset_ids }) => ({
    of: 'images',
    model,
    count: prompts.length * n,
    size,
    input: Math.max(...prompts.map(mostTokens)) + reference_asset_ids.length * MOST_IMAGE_TOKENS,
  }),
  batchable: true,
});
export type IrisImageInput = z.infer<typeof irisImage.input>;

/** Returns a request as the input of a job. */
export function imageInputOf(request: ImageRequest, model: string): IrisImageInput {
  const { prompt, prompts, n, size, seed, negative_prompt, reference_asset_ids, mask_asset_id } = request;
  return {
    model,
    prompts: prompts ?? [prompt as string],
    n,
    size: size ?? null,
    seed: seed ?? null,
    negative_prompt: negative_prompt ?? null,
    reference_asset_ids: reference_asset_ids ?? [],
    ...(mask_asset_id !== undefined && { mask_asset_id }),
    ...(IMAGE_OPTIONS.some((name) => request[name] !== undefined) && { options: imageOptionsOf(request) }),
  };
}
