import { z } from 'zod';
import { defineJob } from '../define-job.ts';

/** Pixels. */
export const jobSize = z.object({ width: z.int(), height: z.int() });

/** Images: `n` of each prompt, in their order. */
export const irisImage = defineJob({
  kind: 'iris.image',
  surface: 'iris',
  pool: 'media',
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    prompts: z.array(z.string()).min(1).max(20),
    /** For each prompt. */
    n: z.int().min(1),
    size: jobSize.nullable(),
    /** The first image's; each further one takes the next. */
    seed: z.int().nullable(),
    negative_prompt: z.string().nullable(),
    reference_asset_ids: z.array(z.string()).max(8),
  }),
  policy: { attempts: 1, timeoutMs: 900_000 },
});
export type IrisImageInput = z.infer<typeof irisImage.input>;
