import { z } from 'zod';
import { idSchema } from './ids.ts';
import { listQuery } from './list.ts';

export const ASSET_KINDS = ['image', 'video', 'audio', 'document', 'other'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

/** What is known of stored bytes, found from the bytes themselves. It never changes, so results keep a copy of it. */
export const assetFacts = z.object({
  id: z.string().describe('`ast_…`'),
  kind: z.enum(ASSET_KINDS),
  mime_type: z.string().describe('Found from the bytes, whatever the name says'),
  size_bytes: z.int(),
  sha256: z.string().describe('Of the content, in hexadecimal'),
  filename: z.string().nullable(),
  width: z.int().nullable().describe('Pixels, of images and videos'),
  height: z.int().nullable(),
  duration_ms: z.int().nullable().describe('Of videos and audio'),
  execution_id: z.string().nullable().describe('The execution that made it; null: it was uploaded'),
  created_at: z.iso.datetime(),
});
export type AssetFacts = z.infer<typeof assetFacts>;

/** An asset as it is shown: its addresses are signed when they are read, and expire. */
export const asset = assetFacts.extend({
  object: z.literal('asset'),
  url: z.string().describe('Its content; signed, expires, supports Range'),
  thumbnail_url: z.string().nullable().describe('A small image of it, for images and videos; signed, expires'),
});
export type Asset = z.infer<typeof asset>;

/** An asset as a record of its scope; in results it stands without whose it is. */
export const ownedAsset = asset.extend({ user_id: z.string().describe('Who uploaded it, or had it made') });
export type OwnedAsset = z.infer<typeof ownedAsset>;

export const assetsQuery = listQuery.extend({
  kind: z.enum(ASSET_KINDS).optional(),
  execution_id: idSchema('job').optional().describe('What this execution made.'),
});
export type AssetsQuery = z.infer<typeof assetsQuery>;
