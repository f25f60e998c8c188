import { ChorusError, checkRecordLimit, type FolderName, type Owner, type PublishFeedEvent } from '@chorus/contract';
import type { Database, FolderRecord } from '@chorus/database';

interface FolderParts {
  database: Pick<Database, 'folders' | 'sessions'>;
  publishToFeed: PublishFeedEvent;
}

/** @throws {ChorusError} `limit_reached` */
export async function createFolder(
  { database: { folders }, publishToFeed }: FolderParts,
  owner: Owner,
  wanted: FolderName,
): Promise<FolderRecord> {
  await checkRecordLimit('folders', (most) => folders.count(owner, most));
  const record = await folders.create(owner, wanted);
  publishToFeed(owner, { type: 'folder.updated', folder_id: record.id });
  return record;
}

/** @throws {ChorusError} `not_found` */
export async function renameFolder(
  { database: { folders }, publishToFeed }: FolderParts,
  owner: Owner,
  id: string,
  name: FolderName,
): Promise<FolderRecord> {
  const record = await folders.rename(owner, id, name);
  if (record === null) throw unknownFolder();
  publishToFeed(owner, { type: 'folder.updated', folder_id: id });
  return record;
}

/** Deletes a folder. Its sessions stay. @throws {ChorusError} `not_found` */
export async function removeFolder(
  { database: { folders, sessions }, publishToFeed }: FolderParts,
  owner: Owner,
  id: string,
): Promise<void> {
  if ((await folders.get(owner, id)) === null) throw unknownFolder();
  // Empty it first, so that a failed deletion can be repeated.
  await sessions.leaveFolder(owner, id);
  await folders.remove(owner, id);
  // A session may have been added meanwhile.
  await sessions.leaveFolder(owner, id);
  publishToFeed(owner, { type: 'folder.deleted', folder_id: id });
}

/** Throws `invalid_request` if a session cannot be put into a folder. */
export async function checkFolder({ folders }: Pick<Database, 'folders'>, owner: Owner, id: string): Promise<void> {
  if ((await folders.get(owner, id)) !== null) return;
  throw new ChorusError('invalid_request', 'This folder does not exist.', {
    details: [{ path: 'body.folder_id', message: 'must be the id of a folder of yours' }],
  });
}

function unknownFolder(): ChorusError {
  return new ChorusError('not_found', 'Folder not found.');
}
