import { z } from 'zod';
import { defineJob } from '../define-job.ts';
import { jobSize } from './iris-image.ts';

/** One video. */
export const irisVideo = defineJob({
  kind: 'iris.video',
  surface: 'iris',
  pool: 'media',
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    prompt: z.string(),
    duration_s: z.number(),
    fps: z.int().nullable(),
    size: jobSize.nullable(),
    seed: z.int().nullable(),
    /** An image that it begins with. */
    image_asset_id: z.string().nullable(),
  }),
  policy: { attempts: 1, timeoutMs: 3_600_000 },
});
export type IrisVideoInput = z.infer<typeof irisVideo.input>;
