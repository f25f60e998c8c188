export { createFileBatch, type FileBatchRequest, type FileItem, type FileLine } from './create-file-batch.ts';
export { deleteBatch } from './delete-batch.ts';
export type { EconomyModels } from './economy.ts';
export { Feeder, type FeederParts } from './feeder.ts';
export { Leadership, NotLeading } from './leadership.ts';
export { listenForBatches } from './listen-for-batches.ts';
export type { Planner } from './plan-item.ts';
export { type BatchUpload, type NewBatchRequest, removeBatch, type StagedBatch, stageBatch } from './stage-batch.ts';
