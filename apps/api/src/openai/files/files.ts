import { deleteAsset } from '@chorus/assets';
import { assetOfFileId } from '@chorus/contract';
import { z } from 'zod';
import { contentDisposition } from '../../assets/content-headers.ts';
import { sendContent } from '../../assets/send-content.ts';
import { defineRoute } from '../../define-route.ts';
import type { ScopedContext } from '../../http/request-context.ts';
import { unknownRecord } from '../../http/unknown-record.ts';
import { noteIgnored } from '../../protocols/check-fields.ts';
import { openAiListOf, presentList } from '../openai-list.ts';
import { expiresAfter, type FileAsset, fileObject, isFile, PURPOSES, presentFile } from './file-object.ts';

const MAX_FILES = 10_000;

const params = { file_id: 'file' } as const;

const fields = z.looseObject({
  purpose: z.enum(PURPOSES).describe('`batch`: the requests of a batch. The others are only noted'),
  expires_after: expiresAfter.optional(),
});

export const createFile = defineRoute({
  method: 'post',
  at: 'openai',
  path: '/files',
  area: 'openai',
  summary: 'Upload a file',
  description:
    'A form with one file. It is also an asset (`/api/v1/assets`), with the same number in its id. Without `expires_after` it is kept until it is deleted.',
  needs: 'write',
  file: {},
  body: fields,
  answer: fileObject,
  handle: async ({ body, file, owner, services, response }) => {
    if (file === null) throw new Error('a route with a file was called without one');
    noteIgnored(response, fields, body);
    const { purpose, expires_after } = body;
    const expires_at = expires_after ? new Date(file.created_at.getTime() + expires_after.seconds * 1_000) : null;
    const stored = await services.database.assets.setFile(owner, file.id, { purpose, expires_at });
    if (!isFile(stored)) throw unknownRecord('file');
    return presentFile(stored);
  },
});

const query = z.strictObject({
  purpose: z.string().max(100).optional(),
  order: z.enum(['asc', 'desc']).default('desc').describe('By age'),
  limit: z.coerce.number().int().min(1).max(MAX_FILES).default(MAX_FILES),
  after: z.string().max(100).optional().describe('The last id of the previous page'),
});

export const listFiles = defineRoute({
  method: 'get',
  at: 'openai',
  path: '/files',
  area: 'openai',
  summary: 'List files',
  description: 'Uploads through this API, and the results of batches. Other assets are not listed.',
  needs: 'read',
  query,
  answer: openAiListOf(fileObject, MAX_FILES),
  handle: async ({ query: { after, ...query }, owner, services }) => {
    const last = after === undefined ? undefined : (assetOfFileId(after) ?? after);
    const page = await services.database.assets.listFiles(owner, { ...query, after: last });
    return presentList(page.data.filter(isFile).map(presentFile), page.has_more);
  },
});

export const getFile = defineRoute({
  method: 'get',
  at: 'openai',
  path: '/files/:file_id',
  area: 'openai',
  summary: 'Get a file',
  needs: 'read',
  params,
  answer: fileObject,
  handle: async ({ params, context }) => presentFile(await findFile(context, params.file_id)),
});

export const getFileContent = defineRoute({
  method: 'get',
  at: 'openai',
  path: '/files/:file_id/content',
  area: 'openai',
  summary: "Get a file's content",
  needs: 'read',
  params,
  answer: z.string().meta({ format: 'binary' }),
  answerType: '*/*',
  alsoAnswers: { 206: 'A part', 304: 'Not modified' },
  refuses: ['range_not_satisfiable'],
  handle: async ({ params, context }) => {
    const file = await findFile(context, params.file_id);
    return sendContent(context, {
      mimeType: file.mime_type,
      disposition: contentDisposition(file),
      etag: `"${file.sha256}"`,
      sizeBytes: file.size_bytes,
      open: (range) => context.services.assets.read(file, range),
    });
  },
});

export const deleteFile = defineRoute({
  method: 'delete',
  at: 'openai',
  path: '/files/:file_id',
  area: 'openai',
  summary: 'Delete a file',
  description: 'Batches that were created from it go on. Editors can delete their own files, admins all.',
  needs: 'write',
  params,
  answer: z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
  handle: async ({ params, context, actor, owner, role, services }) => {
    const { id } = await findFile(context, params.file_id);
    const store = { assets: services.assets, audit: services.accounts.audit };
    await services.deletions.carryOut({ kind: 'asset', id, owner, execution_ids: [] }, () =>
      deleteAsset(store, { owner, role }, actor, id),
    );
    return { id: params.file_id, object: 'file', deleted: true };
  },
});

async function findFile({ services, owner }: ScopedContext, id: string): Promise<FileAsset> {
  const assetId = assetOfFileId(id);
  const asset = assetId === null ? null : await services.assets.get(owner, assetId);
  if (!isFile(asset)) throw unknownRecord('file');
  return asset;
}
