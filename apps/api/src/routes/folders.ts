import { deletion, type Folder, folder, folderName, listOf, listQuery } from '@chorus/contract';
import { createFolder as create, removeFolder, renameFolder } from '@chorus/conversations';
import type { FolderRecord } from '@chorus/database';
import { defineRoute } from '../define-route.ts';
import type { Services } from '../services.ts';

const params = { folder_id: 'folder' } as const;

export const createFolder = defineRoute({
  method: 'post',
  path: '/folders',
  area: 'sessions',
  summary: 'Create a folder for sessions',
  description: 'Folders are yours alone, as sessions are. `PATCH /sessions/{session_id}` with `folder_id` fills them.',
  needs: 'write',
  body: folderName,
  answer: folder,
  handle: async ({ body, owner, services }) => toFolder(await create(partsOf(services), owner, body)),
});

export const listFolders = defineRoute({
  method: 'get',
  path: '/folders',
  area: 'sessions',
  summary: 'List your folders',
  description: 'Newest first.',
  needs: 'read',
  query: listQuery,
  answer: listOf(folder),
  handle: async ({ query, owner, services }) => {
    const page = await services.database.folders.list(owner, query);
    return { object: 'list', ...page, data: page.data.map(toFolder) };
  },
});

export const updateFolder = defineRoute({
  method: 'patch',
  path: '/folders/:folder_id',
  area: 'sessions',
  summary: 'Rename a folder',
  needs: 'write',
  params,
  body: folderName,
  answer: folder,
  handle: async ({ params, body, owner, services }) =>
    toFolder(await renameFolder(partsOf(services), owner, params.folder_id, body)),
});

export const deleteFolder = defineRoute({
  method: 'delete',
  path: '/folders/:folder_id',
  area: 'sessions',
  summary: 'Delete a folder',
  description: 'Its sessions stay, in no folder.',
  needs: 'write',
  params,
  answer: deletion,
  handle: async ({ params, owner, services }) => {
    await services.deletions.carryOut({ kind: 'folder', id: params.folder_id, owner }, () =>
      removeFolder(partsOf(services), owner, params.folder_id),
    );
    return { id: params.folder_id, object: 'folder', deleted: true };
  },
});

const partsOf = ({ database, eventLog }: Services) => ({ database, publishToFeed: eventLog.publishToFeed });

function toFolder({ id, name, created_at, updated_at }: FolderRecord): Folder {
  const times = { created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
  return { id, object: 'folder', name, ...times };
}
