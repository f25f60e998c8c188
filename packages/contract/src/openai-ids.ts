import { assetIdOf } from './file-reference.ts';
import { ID_PREFIXES, isId } from './ids.ts';

const suffixOf = (id: string) => id.slice(id.lastIndexOf('_') + 1);

/** Returns OpenAI's id of an asset that is a file. */
export const fileIdOf = (assetId: string): string => `file-${suffixOf(assetId)}`;

/** Returns the asset of a file's id. Null: it is malformed. */
export function assetOfFileId(id: string): string | null {
  return id.startsWith('file-') ? assetIdOf(id) : null;
}

/** Returns OpenAI's id of a batch. */
export const publicBatchId = (batchId: string): string => `batch_${suffixOf(batchId)}`;

/** Returns the batch that one of OpenAI's ids names. Null: it is malformed. */
export function batchOfPublicId(id: string): string | null {
  const batchId = `${ID_PREFIXES.batch}_${suffixOf(id)}`;
  return publicBatchId(batchId) === id && isId('batch', batchId) ? batchId : null;
}
