import { Readable } from 'node:stream';
import { deleteAsset as remove } from '@chorus/assets';
import { assetsQuery, ChorusError, deletion, listOf, ownedAsset } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { THUMBNAIL_TYPE } from '@chorus/media';
import { z } from 'zod';
import { contentDisposition, isShown } from '../assets/content-headers.ts';
import { presentAsset } from '../assets/present-asset.ts';
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
    'A form with one file in the part `file`. Its type is found from its bytes, whatever its name says; an image with more pixels than may be decoded is refused, and a ' +
    'damaged one too: a large one is measured only, and has no thumbnail then. 413 `storage_full` where the scope has no room for it (`GET /usage`). It lives until it is ' +
    'deleted, or its owner is erased.',
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
  summary: 'List the assets of the scope',
  description:
    'Newest first: what was uploaded, and what executions made. The members of a workspace share its assets.',
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
  description: 'With fresh addresses of its content and its thumbnail.',
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
  description: 'With its bytes and its name; results that name its id stay. Editors delete what they made, admins all.',
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
    expires: z.string().max(20).optional().describe('Part of a signed address.'),
    signature: z.string().max(100).optional().describe('Part of a signed address.'),
  }),
  answer: z.string().meta({ format: 'binary' }),
  refuses: ['range_not_satisfiable'],
} as const;

const RANGES = {
  Range: 'One range of bytes, such as `bytes=0-1023`; of several all is sent.',
  'If-Range': 'The `ETag` of which a part is wanted.',
  'If-None-Match': 'The `ETag` that you have.',
};

const CONTENT_HEADERS = {
  ETag: 'Of the bytes; they never change.',
  'Content-Disposition': '`inline` for plain images, sound, videos and PDFs; else `attachment`.',
};

export const getAssetContent = defineRoute({
  method: 'get',
  path: '/assets/:asset_id/content',
  area: 'assets',
  summary: 'Get the content of an asset',
  description:
    'With credentials, or by the signed address that the asset shows (`url`), which needs none and expires. Where object storage has a public address (`S3_PUBLIC_ENDPOINT`), plain images, ' +
    'sound, videos and PDFs are found there: 302.',
  needs: 'read',
  signed: 'content',
  params,
  ...bySignature,
  answerType: '*/*',
  alsoAnswers: { 206: 'A part', 302: 'Found in object storage', 304: 'Not changed' },
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
      isPublic && isShown(record.mime_type)
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
  summary: 'Get a small image of an asset',
  description:
    'A WebP of at most 384 pixels of an image, or of the first picture of a video; made when it is asked for first. 404 where none can be had. By credentials, or by ' +
    'the signed address that the asset shows (`thumbnail_url`).',
  needs: 'read',
  signed: 'thumbnail',
  params,
  ...bySignature,
  answerType: THUMBNAIL_TYPE,
  alsoAnswers: { 304: 'Not changed' },
  headers: RANGES,
  answerHeaders: CONTENT_HEADERS,
  handle: async (call) => {
    const record = await assetOf(call);
    const bytes = await call.services.assets.thumbnail(record);
    if (bytes === null) throw new ChorusError('not_found', 'There is no thumbnail of this asset.');
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

/** The asset that a path names: by its signed address, or as one of the scope. */
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
