import type { AssetRecord, DeletionRecord } from '@chorus/database';
import type { DeletionParts } from './purge-executions.ts';

/** Maximum age of a file, when a message attaches it, to count as uploaded for that message. */
const UPLOADED_WITHIN_MS = 3_600_000;

/** Returns the files that were uploaded for the messages of a session, and are used nowhere else. */
export async function findUploads(
  { database }: DeletionParts,
  { id, owner }: Pick<DeletionRecord, 'id' | 'owner'>,
): Promise<string[]> {
  const { messages, assets, executions } = database;
  const uploadedFor = ({ created_at }: AssetRecord, attachedAt: Date) =>
    attachedAt.getTime() - created_at.getTime() < UPLOADED_WITHIN_MS;
  const found: string[] = [];
  for (const [assetId, attachedAt] of await messages.attachmentsOf(owner, id)) {
    const asset = await assets.get(owner, assetId);
    const isUpload = asset !== null && asset.execution_id === null && asset.batch_id === null && asset.file === null;
    if (!isUpload || !uploadedFor(asset, attachedAt)) continue;
    if (await messages.isAttachedElsewhere(assetId, id)) continue;
    if (!(await executions.mayMention(asset, { exceptSession: id }))) found.push(assetId);
  }
  return found;
}
