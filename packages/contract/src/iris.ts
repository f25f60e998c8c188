import { z } from 'zod';
import { idSchema } from './ids.ts';

const SIZE = /^(\d{1,5})x(\d{1,5})$/;

/** Limits of an image's sides, in pixels. */
const MIN_SIDE = 64;
const MAX_SIDE = 4_096;

export interface Size {
  width: number;
  height: number;
}

/** A size in a request, such as `1024x1024`. */
export const requestedSize = z
  .string()
  .regex(SIZE, { error: 'must be width x height in pixels, such as 1024x1024' })
  .transform((value): Size => {
    const [, width, height] = SIZE.exec(value) as unknown as [string, string, string];
    return { width: Number(width), height: Number(height) };
  })
  .refine(({ width, height }) => Math.min(width, height) >= MIN_SIDE && Math.max(width, height) <= MAX_SIDE, {
    error: `must have sides of ${MIN_SIDE} to ${MAX_SIDE} pixels`,
  });

/** A size in a job, in pixels. */
export const jobSize = z.object({ width: z.int(), height: z.int() });

export const mediaPrompt = z.string().trim().min(1).max(32_000);
export const mediaSeed = z.int().min(0).max(2_147_483_647);

/** Options of some image models. Models list the others as unsupported. */
export const imageOptions = {
  quality: z.enum(['low', 'medium', 'high', 'xhigh', 'max', 'standard', 'hd']).optional(),
  background: z.enum(['transparent', 'opaque']).optional(),
  output_format: z.enum(['png', 'jpeg', 'webp']).optional().describe("Default: the model's"),
  output_compression: z.int().min(0).max(100).optional().describe('In percent, for `jpeg` and `webp`'),
  input_fidelity: z.enum(['low', 'high']).optional().describe('How closely to keep the reference images'),
};
const imageOptionValues = z.object(imageOptions);
export type ImageOptions = z.infer<typeof imageOptionValues>;

/** Fields of an image request that only some models support. */
export const IMAGE_OPTIONS = [...(Object.keys(imageOptions) as (keyof ImageOptions)[]), 'mask_asset_id'] as const;
export type ImageOption = (typeof IMAGE_OPTIONS)[number];

/** Returns the options among the fields of a request. */
export function imageOptionsOf(request: ImageOptions): ImageOptions {
  return imageOptionValues.parse(request);
}

/** The file of a request: exactly one of the two. */
export const sourceFields = {
  asset_id: idSchema('asset').optional().describe('A file that was uploaded or generated before'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(2_000)
    .optional()
    .describe('A public address'),
};

export const oneSource = {
  check: ({ asset_id, url }: { asset_id?: string | undefined; url?: string | undefined }) =>
    (asset_id === undefined) !== (url === undefined),
  error: { path: ['asset_id'], error: 'send exactly one of `file`, `asset_id` and `url`' },
};

/** The file that a job reads: an asset of the scope, or a public URL. */
export const mediaSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('asset'), asset_id: z.string() }),
  z.object({ type: z.literal('url'), url: z.string() }),
]);
export type MediaSource = z.infer<typeof mediaSource>;

/** Returns the id of a source's asset, or its URL. */
export function sourceName(source: MediaSource | undefined): string | undefined {
  return source?.type === 'asset' ? source.asset_id : source?.url;
}
