import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { assetItem } from '../execution.ts';
import { idSchema } from '../ids.ts';

export const irisUpscale = defineKind({
  kind: 'iris.upscale',
  surface: 'iris',
  pool: 'media',
  label: 'Upscale',
  path: '/iris/upscale',
  route: {
    summary: 'Enlarge an image',
    description:
      'The result is a new asset of the same format. `embedded/lanczos` resamples the pixels; it adds no detail. ' +
      'Up to 50 megapixels; of an animation, the first frame.',
  },
  request: z.strictObject({
    asset_id: idSchema('asset').describe('An image'),
    factor: z.int().min(2).max(4).default(2).describe('How many times as wide and as high'),
    model: modelName.optional(),
    ...delivery,
  }),
  input: z.object({ asset_id: z.string(), factor: z.int(), model: z.string() }),
  output: assetItem,
  subjectOf: ({ asset_id }) => asset_id,
  capability: 'upscale',
  timeoutMs: 300_000,
  cost: ({ factor }) => factor,
  batchable: true,
});
