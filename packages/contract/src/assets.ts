import { z } from 'zod';
import { idSchema } from './ids.ts';
import { listQuery } from './list.ts';
import { ASSET_KINDS } from './names/index.ts';

/** Facts about stored bytes. They never change, so results keep a copy. */
export const assetFacts = z.object({
  id: z.string().describe('`ast_…`'),
  kind: z.enum(ASSET_KINDS),
  mime_type: z.string().describe('Detected from the content, not the name'),
  size_bytes: z.int(),
  sha256: z.string().describe('Of the content, in hexadecimal'),
  filename: z.string().nullable(),
  width: z.int().nullable().describe('In pixels, for images and videos'),
  height: z.int().nullable(),
  duration_ms: z.int().nullable().describe('For videos and audio'),
  execution_id: z.string().nullable().describe('The execution that generated it; null: it was uploaded'),
  created_at: z.iso.datetime(),
});
export type AssetFacts = z.infer<typeof assetFacts>;

/** An asset in a response. Its URLs are signed on each read, and expire. */
export const asset = assetFacts.extend({
  object: z.literal('asset'),
  url: z.string().describe('URL of its content; signed, expires, supports Range'),
  thumbnail_url: z.string().nullable().describe('URL of a thumbnail, for images and videos; signed, expires'),
});
export type Asset = z.infer<typeof asset>;

/** An asset with its owner, which assets in results leave out. */
export const ownedAsset = asset.extend({
  user_id: z.string().describe('The uploader, or the user whose execution generated it'),
});
export type OwnedAsset = z.infer<typeof ownedAsset>;

export const assetsQuery = listQuery.extend({
  kind: z.enum(ASSET_KINDS).optional(),
  execution_id: idSchema('job').optional().describe('Only assets that this execution generated.'),
});
export type AssetsQuery = z.infer<typeof assetsQuery>;
