import { buffer } from 'node:stream/consumers';
import { type AssetFacts, imageOptions, imageRequest, mediaPrompt } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { withUrls } from '@chorus/executions';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ScopedContext } from '../../http/request-context.ts';
import { defineTool, type Shown, showWork, workFields } from '../define-tool.ts';

/** Total size of included images, since some clients refuse results of a megabyte. */
const MAX_INCLUDED_BYTES = 700_000;

/** Types that clients show. */
const SHOWN_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

const { size, seed, negative_prompt, reference_asset_ids, model } = imageRequest.shape;
const { quality, background, output_format } = imageOptions;

export const imageFields = z.object({
  asset_id: z.string(),
  mime_type: z.string(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  size_bytes: z.int(),
  url: z.string().describe('Signed; it expires. get_job returns a new one'),
});

export const generateImage = defineTool({
  name: 'generate_image',
  title: 'Generate images',
  description:
    'Generates images from a description. Small images are part of the result; each has a URL that expires. ' +
    'It may take minutes.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    prompt: mediaPrompt.describe('What the image shows'),
    n: z.int().min(1).max(4).default(1).describe('Number of images'),
    size,
    seed,
    negative_prompt,
    reference_asset_ids,
    quality,
    background,
    output_format,
    model,
  }),
  output: z.object({ ...workFields, model: z.string().nullable(), images: z.array(imageFields) }),
  needs: () => 'run',
  start: async (args) => ({ order: { kind: 'iris.image', request: { ...args, stream: false, metadata: {} } } }),
  show: (record, context) => showWork(record, () => showImages(record, context), { model: record.model, images: [] }),
});

/** Shows the images among an execution's assets, and links to the others. */
export async function showImages({ output, model }: ExecutionRecord, context: ScopedContext): Promise<Shown> {
  const assets = output.flatMap((item) => (item.type === 'asset' ? [item.asset] : []));
  const content: ContentBlock[] = [];
  const images: z.infer<typeof imageFields>[] = [];
  let left = MAX_INCLUDED_BYTES;
  for (const asset of assets) {
    const { id: asset_id, mime_type, width, height, size_bytes } = asset;
    const { url } = withUrls(asset, false, context.addresses.assetUrls);
    images.push({ asset_id, mime_type, width, height, size_bytes, url });
    const data = SHOWN_TYPES.has(mime_type) && size_bytes <= left ? await dataOf(asset, context) : null;
    if (data === null) {
      content.push({
        type: 'resource_link',
        uri: url,
        name: asset.filename ?? asset_id,
        mimeType: mime_type,
        size: size_bytes,
      });
    } else {
      left -= size_bytes;
      content.push({ type: 'image', data, mimeType: mime_type });
    }
  }
  const list = images.map(({ asset_id, mime_type, url }) => `${asset_id} (${mime_type}): ${url}`);
  return { content: [{ type: 'text', text: list.join('\n') }, ...content], fields: { model, images } };
}

/** Returns the bytes as base64. Null: the asset was deleted, or its storage is down. */
async function dataOf(asset: AssetFacts, { services }: ScopedContext): Promise<string | null> {
  try {
    return (await buffer(await services.assets.read(asset))).toString('base64');
  } catch {
    return null;
  }
}
