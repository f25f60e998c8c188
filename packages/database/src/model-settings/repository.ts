import type { StoredModelSettings } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection } from '../collection.ts';
import { readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

/** Settings of the platform, which do not belong to a user. */
interface StoredSettings extends StoredModelSettings {
  _id: string;
}

export const modelSettingsCollection = defineCollection<StoredSettings>('model_settings');

const ID = 'models';

export function createModelSettingsRepository(db: Db) {
  const settings = modelSettingsCollection.in(db);
  return {
    get: async (): Promise<StoredModelSettings> =>
      (await readOne(settings.findOne({ _id: ID }), ({ defaults, fallbacks }) => ({ defaults, fallbacks }))) ?? {
        defaults: {},
        fallbacks: [],
      },
    set: async ({ defaults, fallbacks }: StoredModelSettings) => {
      await fromStore(settings.replaceOne({ _id: ID }, { defaults, fallbacks }, { upsert: true }));
    },
  };
}
