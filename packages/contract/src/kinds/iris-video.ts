import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { assetItem } from '../execution.ts';
import { idSchema } from '../ids.ts';
import { jobSize, mediaPrompt, mediaSeed, requestedSize } from '../iris.ts';

/** Cost of a second of video, relative to one image. */
const COST_PER_SECOND = 4;

/** `POST /iris/video` */
export const videoRequest = z.strictObject({
  prompt: mediaPrompt,
  duration_s: z.number().min(0.5).max(60).default(4),
  fps: z.int().min(1).max(60).optional(),
  size: requestedSize.optional().describe("For example `1280x720`. Default: the model's"),
  seed: mediaSeed.optional(),
  model: modelName.optional(),
  image_asset_id: idSchema('asset').optional().describe('The image to start from'),
  ...delivery,
});
export type VideoRequest = z.infer<typeof videoRequest>;

export const irisVideo = defineKind({
  kind: 'iris.video',
  surface: 'iris',
  pool: 'media',
  label: 'Video',
  path: '/iris/video',
  route: {
    summary: 'Generate a video',
    description: 'Takes minutes with most models. Use `Prefer: respond-async` or a stream.',
  },
  request: videoRequest,
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    prompt: z.string(),
    duration_s: z.number(),
    fps: z.int().nullable(),
    size: jobSize.nullable(),
    seed: z.int().nullable(),
    /** The image to start from. */
    image_asset_id: z.string().nullable(),
  }),
  output: assetItem,
  subjectOf: ({ prompt }) => prompt,
  capability: 'video',
  timeoutMs: 3_600_000,
  cost: ({ duration_s }) => Math.ceil(duration_s * COST_PER_SECOND),
  demand: ({ model, duration_s }) => ({ of: 'video', model, seconds: duration_s }),
  batchable: true,
});
export type IrisVideoInput = z.infer<typeof irisVideo.input>;
