import type { Owner } from '@chorus/contract';
import type { Db, UpdateFilter } from 'mongodb';
import { inScope, requireString } from '../collection.ts';
import { readAll, readOne, readPage } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import {
  type BatchFiles,
  type BatchProblem,
  type BatchRecord,
  batchCollection,
  batchOf,
  filesKey,
  type StoredBatch,
} from './schema.ts';

/** A batch of OpenAI's API, even while it is being created, or if its file was refused. */
export interface FileBatchRecord extends Omit<BatchRecord, 'status' | 'files'> {
  status: StoredBatch['status'];
  files: BatchFiles;
}

const LIGHT = { projection: { defaults: 0 } };

/** Batches whose requests came in a file, through OpenAI's API. */
export function createFileBatchRepository(db: Db) {
  const batches = batchCollection.in(db);

  return {
    get: async (owner: Owner, id: string) =>
      readOne(batches.findOne({ ...inScope(owner, id), files: { $exists: true } }, LIGHT), fileBatchOf),
    /** Newest first. The cursor is the id of the last one. */
    list: async (owner: Owner, { limit, after }: { limit: number; after?: string | undefined }) => {
      const last = filesKey(owner, after === undefined ? '~' : requireString(after));
      const found = batches.find({ files_key: { $gt: filesKey(owner, ''), $lt: last } }, LIGHT).sort({ files_key: -1 });
      return readPage(found.limit(limit + 1), limit, fileBatchOf, ({ _id }) => _id);
    },
    /** Ends a batch with a refused file. Returns null if it was abandoned meanwhile. */
    fail: async (owner: Owner, id: string, problems: BatchProblem[]) => {
      const change: UpdateFilter<StoredBatch> = {
        $set: { status: 'failed', finished_at: new Date(), 'files.problems': problems },
        $unset: { creating_at: '' },
      };
      const creating = { ...inScope(owner, id), status: 'creating' } as const;
      return readOne(batches.findOneAndUpdate(creating, change, { returnDocument: 'after', ...LIGHT }), fileBatchOf);
    },
    /** Lists ended batches of all owners whose results have not been written to files, oldest first. */
    listDue: async (limit: number) => {
      const due = batches.find({ files_due: { $gt: '' } }, LIGHT).sort({ files_due: 1 });
      return readAll(due.limit(limit), fileBatchOf);
    },
    /** Marks the result files as written. Returns false if they were no longer due. */
    saveFiles: async (id: string, { output, errors }: Pick<BatchFiles, 'output' | 'errors'>) => {
      const written = { 'files.output': output, 'files.errors': errors, 'files.written_at': new Date() };
      const change: UpdateFilter<StoredBatch> = {
        $set: { ...written, 'files.problems': [] },
        $unset: { files_due: '' },
      };
      return (await fromStore(batches.updateOne({ files_due: requireString(id) }, change))).matchedCount > 0;
    },
    /** Records why the result files could not be written. */
    saveProblem: async (id: string, problem: BatchProblem) => {
      const change: UpdateFilter<StoredBatch> = { $set: { 'files.problems': [problem] } };
      await fromStore(batches.updateOne({ files_due: requireString(id) }, change));
    },
  };
}

function fileBatchOf(stored: Omit<StoredBatch, 'defaults'> & { defaults?: string }): FileBatchRecord {
  const { files, ...batch } = batchOf(stored);
  if (files === null) throw new Error(`batch ${batch.id} has no files`);
  return { ...batch, status: stored.status, files };
}
