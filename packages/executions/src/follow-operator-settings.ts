import type { StoredLimits, StoredModelSettings } from '@chorus/contract';
import type { Database } from '@chorus/database';
import { followSettings, type SettingsConnections } from '@chorus/events';
import { type LimitConfig, withLimits } from './follow-limits.ts';
import { type ModelConfig, withModels } from './follow-model-settings.ts';

interface FollowParts extends SettingsConnections {
  database: Pick<Database, 'modelSettings' | 'limits'>;
}

/** Fills in a configuration from settings of operators: default models, fallbacks, and limits. */
export async function followOperatorSettings<C extends ModelConfig & LimitConfig>(
  config: C,
  { database, ...connections }: FollowParts,
): Promise<{ config: C; stop: () => void }> {
  let models: StoredModelSettings = { defaults: {}, fallbacks: [] };
  let limits: StoredLimits = {};
  const stops = await Promise.all([
    followSettings(connections, 'model_settings', async () => {
      models = await database.modelSettings.get();
    }),
    followSettings(connections, 'limits', async () => {
      limits = await database.limits.get();
    }),
  ]);
  const modelled = withModels(config, () => models);
  return {
    config: withLimits(modelled, () => limits),
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}
