import { z } from 'zod';
import { idSchema } from './ids.ts';
import { metadata } from './metadata.ts';
import { webhookUrl } from './webhooks.ts';

const SIZE = /^(\d{1,5})x(\d{1,5})$/;

/** Sides of a picture, in pixels. */
const MIN_SIDE = 64;
const MAX_SIDE = 4_096;

export interface Size {
  width: number;
  height: number;
}

const size = z
  .string()
  .regex(SIZE, { error: 'must be width x height in pixels, such as 1024x1024' })
  .transform((value): Size => {
    const [, width, height] = SIZE.exec(value) as unknown as [string, string, string];
    return { width: Number(width), height: Number(height) };
  })
  .refine(({ width, height }) => Math.min(width, height) >= MIN_SIDE && Math.max(width, height) <= MAX_SIDE, {
    error: `each side must be ${MIN_SIDE} to ${MAX_SIDE} pixels`,
  });

const prompt = z.string().trim().min(1).max(32_000);
export const model = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model' })
  .max(200)
  .describe('`provider/model`; absent: the first that can do it');
const seed = z.int().min(0).max(2_147_483_647);

/** What every request for an execution may carry besides. */
export const delivery = {
  stream: z.boolean().default(false),
  metadata: metadata.default({}),
  webhook_url: webhookUrl.optional(),
};

const imageFields = {
  prompt: prompt.optional(),
  prompts: z.array(prompt).min(1).max(20).optional().describe('Several at once; excludes `prompt`'),
  n: z.int().min(1).max(10).default(1).describe('Images for each prompt'),
  size: size.optional().describe('Such as `1024x1024`; absent: the default of the model'),
  seed: seed
    .optional()
    .describe(
      'The same request with the same seed gives the same picture, where the model can; each further image takes the next',
    ),
  model: model.optional(),
  negative_prompt: z.string().trim().min(1).max(8_000).optional().describe('What should not be seen'),
  reference_asset_ids: z.array(idSchema('asset')).min(1).max(8).optional().describe('Images to go by'),
};

const onePrompt = {
  check: ({ prompt, prompts }: { prompt?: string | undefined; prompts?: string[] | undefined }) =>
    (prompt === undefined) !== (prompts === undefined),
  error: { path: ['prompt'], error: 'exactly one of `prompt` and `prompts`' },
};

/** `POST /iris/generate` */
export const imageRequest = z.strictObject({ ...imageFields, ...delivery }).refine(onePrompt.check, onePrompt.error);
export type ImageRequest = z.infer<typeof imageRequest>;

/** `POST /iris/video` */
export const videoRequest = z.strictObject({
  prompt,
  duration_s: z.number().min(0.5).max(60).default(4),
  fps: z.int().min(1).max(60).optional(),
  size: size.optional().describe('Such as `1280x720`; absent: the default of the model'),
  seed: seed.optional(),
  model: model.optional(),
  image_asset_id: idSchema('asset').optional().describe('An image that it begins with'),
  ...delivery,
});
export type VideoRequest = z.infer<typeof videoRequest>;

const source = {
  asset_id: idSchema('asset').optional().describe('What was uploaded or made before'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(2_000)
    .optional()
    .describe('A public address'),
};

/** Which pages: `3`, `1-5`, `1,4-6`. */
const pages = z
  .string()
  .regex(/^\s*\d{1,5}\s*(-\s*\d{1,5}\s*)?(,\s*\d{1,5}\s*(-\s*\d{1,5}\s*)?)*$/, {
    error: 'must be such as 1-3,7',
    abort: true,
  })
  .max(500)
  .refine((text) => text.split(',').every(isRange), { error: 'must count from 1, each range upwards' });

function isRange(text: string): boolean {
  const [first = 0, last = first] = text.split('-').map(Number);
  return first >= 1 && last >= first;
}

/** `POST /iris/ocr`; as `multipart/form-data` with a part `file` in place of `asset_id` and `url`. */
export const ocrRequest = z
  .strictObject({
    ...source,
    languages: z
      .array(z.string().regex(/^[a-z]{3}(_[a-z]+)?$/i, { error: 'must be a language such as eng' }))
      .min(1)
      .max(5)
      .optional()
      .describe('ISO 639-2 codes, the likeliest first; default eng'),
    pages: pages.optional().describe('Such as `1-3,7`; absent: all'),
    model: model.optional().describe('`embedded/ocr`, or a model that sees'),
    ...delivery,
  })
  .refine(({ asset_id, url }) => (asset_id === undefined) !== (url === undefined), {
    path: ['asset_id'],
    error: 'exactly one of `file`, `asset_id` and `url`',
  });
export type OcrRequest = z.infer<typeof ocrRequest>;

/** `POST /iris/verify`; as `multipart/form-data` with a part `file` in place of `asset_id` and `url`. */
export const verifyRequest = z
  .strictObject({
    ...source,
    expected_text: z.string().trim().min(1).max(10_000).optional().describe('What should be written in it'),
    prompt: z.string().trim().min(1).max(8_000).optional().describe('What it should show'),
    model: model.optional().describe('A model that sees, for `prompt`'),
    ...delivery,
  })
  .refine(({ asset_id, url }) => (asset_id === undefined) !== (url === undefined), {
    path: ['asset_id'],
    error: 'exactly one of `file`, `asset_id` and `url`',
  });
export type VerifyRequest = z.infer<typeof verifyRequest>;
