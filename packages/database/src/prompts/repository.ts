import { type ListQuery, type Owner, type Prompt, type PromptPatch, scopeKey } from '@chorus/contract';
import type { Db } from 'mongodb';
import {
  defineCollection,
  fromStored,
  inScope,
  type MadeBy,
  madeBy,
  type RecordOf,
  type Stored,
  toStored,
} from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

export type PromptRecord = RecordOf<Prompt>;

type StoredPrompt = Stored<PromptRecord>;

export const promptCollection = defineCollection<StoredPrompt>('prompts', {
  erasedWith: 'maker',
  indexes: [{ key: { scope_key: 1, _id: -1 } }],
});

/** Prompts belong to a scope: members of a workspace share them. */
export function createPromptRepository(db: Db) {
  const prompts = promptCollection.in(db);
  const promptOf = (stored: StoredPrompt): PromptRecord => fromStored(stored);

  return {
    insert: async (prompt: PromptRecord) => {
      await fromStore(prompts.insertOne(toStored(prompt)));
    },
    get: async (owner: Owner, id: string) => readOne(prompts.findOne(inScope(owner, id)), promptOf),
    /** Counts up to a limit. */
    count: async (owner: Owner, limit: number) =>
      fromStore(prompts.countDocuments({ scope_key: scopeKey(owner) }, { limit })),
    /** Newest first. */
    list: async (owner: Owner, query: ListQuery & MadeBy) =>
      listNewest(prompts, 'prompt', query, { scope_key: scopeKey(owner), ...madeBy(owner, query) }, promptOf),
    patch: async (owner: Owner, id: string, fields: PromptPatch) => {
      const change = { $set: { ...fields, updated_at: new Date() } };
      return readOne(prompts.findOneAndUpdate(inScope(owner, id), change, { returnDocument: 'after' }), promptOf);
    },
    remove: async (owner: Owner, id: string) =>
      (await fromStore(prompts.deleteOne(inScope(owner, id)))).deletedCount > 0,
  };
}
