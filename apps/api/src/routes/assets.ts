import { Readable } from 'node:stream';
import { assetFactsOf, deleteAsset as remove } from '@chorus/assets';
import type { OwnedAsset } from '@chorus/contract';
import { assetsQuery, ChorusError, deletion, listOf, ownedAsset } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { type AssetUrls, withUrls } from '@chorus/executions';
import { THUMBNAIL_TYPE } from '@chorus/media';
import { z } from 'zod';
import { contentDisposition, isInline } from '../assets/content-headers.ts';
import { sendContent } from '../assets/send-content.ts';
import { defineRoute, type ScopedCall } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';

const params = { asset_id: 'asset' } as const;

export const createAsset = defineRoute({
  method: 'post',
  path: '/assets',
  area: 'assets',
  summary: 'Upload a file',
  description:
    'A form with one file in the part `file`. The type is detected from the content, not the name. Images with too many pixels, and damaged ' +
    'images, are refused; damage to large images may only show as a missing thumbnail. 413 `storage_full` when the scope has no storage left (`GET /usage`). The file is kept until it is ' +
    'deleted, or its owner is.',
  needs: 'write',
  file: {},
  answer: ownedAsset,
  handle: async ({ file, context }) => {
    if (file === null) throw new Error('a route with a file was called without one');
    return presentAsset(file, context.addresses.assetUrls);
  },
  renew: async ({ owner, services, context }, answer) => {
    const record = await services.assets.get(owner, answer.id);
    return record === null ? answer : presentAsset(record, context.addresses.assetUrls);
  },
});

export const listAssets = defineRoute({
  method: 'get',
  path: '/assets',
  area: 'assets',
  summary: 'List assets',
  description: 'Newest first: uploads, and files that executions generated. Members of a workspace share its assets.',
  needs: 'read',
  query: assetsQuery,
  answer: listOf(ownedAsset),
  handle: async ({ query, owner, services, context }) => {
    const page = await services.database.assets.list(owner, query);
    const { assetUrls } = context.addresses;
    return { object: 'list', ...page, data: page.data.map((record) => presentAsset(record, assetUrls)) };
  },
});

export const getAsset = defineRoute({
  method: 'get',
  path: '/assets/:asset_id',
  area: 'assets',
  summary: 'Get an asset',
  description: 'With freshly signed URLs of its content and thumbnail.',
  needs: 'read',
  params,
  answer: ownedAsset,
  handle: async (call) => presentAsset(await assetOf(call), call.context.addresses.assetUrls),
});

export const deleteAsset = defineRoute({
  method: 'delete',
  path: '/assets/:asset_id',
  area: 'assets',
  summary: 'Delete an asset',
  description:
    'Deletes the content and the name. Results that refer to its id remain. Editors can delete their own assets, admins all.',
  needs: 'write',
  params,
  answer: deletion,
  handle: async ({ params, actor, owner, role, services }) => {
    const store = { assets: services.assets, audit: services.accounts.audit };
    const id = params.asset_id;
    const maker = (await services.assets.get(owner, id))?.execution_id ?? null;
    await services.deletions.carryOut({ kind: 'asset', id, owner, execution_ids: maker === null ? [] : [maker] }, () =>
      remove(store, { owner, role }, actor, id),
    );
    return { id: params.asset_id, object: 'asset', deleted: true };
  },
});

const bySignature = {
  query: z.strictObject({
    expires: z.string().max(20).optional().describe('Part of a signed URL.'),
    signature: z.string().max(100).optional().describe('Part of a signed URL.'),
  }),
  answer: z.string().meta({ format: 'binary' }),
  refuses: ['range_not_satisfiable'],
} as const;

const RANGES = {
  Range: 'One range of bytes, such as `bytes=0-1023`. Several ranges return the whole content.',
  'If-Range': 'Applies `Range` only if the content has this `ETag`.',
  'If-None-Match': 'The `ETag` of your copy.',
};

const CONTENT_HEADERS = {
  ETag: "The content's tag. The content never changes.",
  'Content-Disposition': '`inline` for plain images, audio, videos and PDFs, else `attachment`.',
};

export const getAssetContent = defineRoute({
  method: 'get',
  path: '/assets/:asset_id/content',
  area: 'assets',
  summary: "Get an asset's content",
  description:
    'With credentials, or with the signed URL in the asset (`url`), which expires. If object storage has a public address (`S3_PUBLIC_ENDPOINT`), plain images, ' +
    'audio, videos and PDFs redirect there (302).',
  needs: 'read',
  signed: 'content',
  params,
  ...bySignature,
  answerType: '*/*',
  alsoAnswers: { 206: 'A part', 302: 'Redirect to object storage', 304: 'Not modified' },
  headers: RANGES,
  answerHeaders: CONTENT_HEADERS,
  handle: async (call) => {
    const { services, context } = call;
    const record = await assetOf(call);
    const disposition = contentDisposition(record);
    const expiresInS = Math.max(1, Math.floor(context.signed?.leftS ?? services.config.assets.urlTtlS));
    const { blobs } = services.config;
    const isPublic = blobs.kind === 's3' && blobs.publicEndpoint !== null;
    const elsewhere =
      isPublic && isInline(record.mime_type)
        ? await services.assets.presign(record, { expiresInS, contentDisposition: disposition })
        : null;
    if (elsewhere !== null) return redirect(call, elsewhere, expiresInS);
    return sendContent(context, {
      mimeType: record.mime_type,
      disposition,
      etag: `"${record.sha256}"`,
      sizeBytes: record.size_bytes,
      open: (range) => services.assets.read(record, range),
    });
  },
});

export const getAssetThumbnail = defineRoute({
  method: 'get',
  path: '/assets/:asset_id/thumbnail',
  area: 'assets',
  summary: "Get an asset's thumbnail",
  description:
    'A WebP of at most 384 pixels of an image, or of the first frame of a video, generated on the first request. 404 when there is none. With credentials, or with ' +
    'the signed URL in the asset (`thumbnail_url`).',
  needs: 'read',
  signed: 'thumbnail',
  params,
  ...bySignature,
  answerType: THUMBNAIL_TYPE,
  alsoAnswers: { 304: 'Not modified' },
  headers: RANGES,
  answerHeaders: CONTENT_HEADERS,
  handle: async (call) => {
    const record = await assetOf(call);
    const bytes = await call.services.assets.thumbnail(record);
    if (bytes === null) throw new ChorusError('not_found', 'This asset has no thumbnail.');
    return sendContent(call.context, {
      mimeType: THUMBNAIL_TYPE,
      disposition: 'inline',
      etag: `"${record.sha256}-thumbnail"`,
      sizeBytes: bytes.length,
      open: async ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
        Readable.from([bytes.subarray(start, end + 1)]),
    });
  },
});

/** Returns the asset that a path names: by its signed URL, or as one of the scope. */
async function assetOf(call: ScopedCall<unknown, unknown, { readonly asset_id: string }>): Promise<AssetRecord> {
  const { context, owner, params, services } = call;
  const record = context.signed?.asset ?? (await services.assets.get(owner, params.asset_id));
  if (record === null) throw unknownRecord('asset');
  return record;
}

function redirect({ response }: ScopedCall<unknown, unknown, object>, location: string, seconds: number): undefined {
  response.statusCode = 302;
  response.setHeader('Location', location);
  response.setHeader('Cache-Control', `private, max-age=${seconds}`);
  response.end();
}

/** Returns an asset for a response, with freshly signed URLs. */
function presentAsset(record: AssetRecord, urls: AssetUrls): OwnedAsset {
  return { ...withUrls(assetFactsOf(record), record.thumbnail !== 'none', urls), user_id: record.owner.user_id };
}
