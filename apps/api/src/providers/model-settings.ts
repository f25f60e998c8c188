import { auditForOperators } from '@chorus/accounts';
import {
  type Actor,
  type Capability,
  ChorusError,
  DEFAULT_MODEL_USES,
  type DefaultModelUse,
  type ModelSettings,
  type ModelSettingsPatch,
  type Pool,
  type StoredModelSettings,
} from '@chorus/contract';
import { announceSettings } from '@chorus/events';
import { chooseModel, defaultsOf } from '@chorus/executions';
import type { Services } from '../services.ts';

type Parts = Pick<Services, 'accounts' | 'configured' | 'database' | 'redis' | 'registry'>;

const VARIABLES: Record<DefaultModelUse, string> = {
  chat: 'DEFAULT_MODEL',
  image: 'DEFAULT_IMAGE_MODEL',
  video: 'DEFAULT_VIDEO_MODEL',
  speech: 'DEFAULT_SPEECH_MODEL',
  transcription: 'DEFAULT_TRANSCRIPTION_MODEL',
};

const WORKERS: Record<DefaultModelUse, { pool: Pool; capability: Capability }> = {
  chat: { pool: 'text', capability: 'chat' },
  image: { pool: 'media', capability: 'image' },
  video: { pool: 'media', capability: 'video' },
  speech: { pool: 'voice', capability: 'speech' },
  transcription: { pool: 'voice', capability: 'transcription' },
};

export async function readModelSettings({ configured, database }: Parts): Promise<ModelSettings> {
  return present(configured, await database.modelSettings.get());
}

/**
 * Changes default models and fallbacks. Every process uses them within a second.
 *
 * @throws {ChorusError} conflict for a setting of the environment; model_not_found; store_unavailable
 */
export async function changeModelSettings(
  { accounts, configured, database, redis, registry }: Parts,
  actor: Actor,
  { fallbacks, ...chosen }: ModelSettingsPatch,
): Promise<ModelSettings> {
  const stored = await database.modelSettings.get();
  const workers = await registry.recentWorkers();
  const known = (use: DefaultModelUse, asked: string, path: string) =>
    chooseModel(workers, { ...WORKERS[use], asked, configured: null, path });
  const defaults = { ...stored.defaults };
  for (const use of DEFAULT_MODEL_USES) {
    const model = chosen[use];
    if (model === undefined) continue;
    if (defaultsOf(configured)[use] !== null) throw setByEnvironment(VARIABLES[use]);
    if (model === null) delete defaults[use];
    else defaults[use] = known(use, model, `body.${use}`);
  }
  if (fallbacks !== undefined && configured.chat.fallbacks.length > 0) throw setByEnvironment('FALLBACKS');
  const chains = fallbacks?.map((chain, at) =>
    chain.map((model, index) => known('chat', model, `body.fallbacks.${at}.${index}`)),
  );
  const next = { defaults, fallbacks: chains ?? stored.fallbacks };
  await database.modelSettings.set(next);
  const fact = { action: 'model_settings.changed', target: null } as const;
  await auditForOperators({ users: database.users, audit: accounts.audit }, actor, fact);
  await announceSettings(redis, 'model_settings');
  return present(configured, next);
}

function present(configured: Parts['configured'], { defaults, fallbacks }: StoredModelSettings): ModelSettings {
  const own = defaultsOf(configured);
  const entry = (use: DefaultModelUse) => {
    if (own[use] !== null) return { model: own[use], source: 'environment' as const };
    const model = defaults[use];
    return model === undefined ? { model: null, source: 'automatic' as const } : { model, source: 'stored' as const };
  };
  const given = configured.chat.fallbacks;
  return {
    object: 'model_settings',
    defaults: {
      chat: entry('chat'),
      image: entry('image'),
      video: entry('video'),
      speech: entry('speech'),
      transcription: entry('transcription'),
    },
    fallbacks:
      given.length > 0
        ? { chains: given.map((chain) => [...chain]), source: 'environment' }
        : { chains: fallbacks, source: fallbacks.length === 0 ? 'automatic' : 'stored' },
  };
}

function setByEnvironment(variable: string): ChorusError {
  return new ChorusError(
    'conflict',
    `${variable} is set in the environment, which wins. Remove it there and restart, then choose here.`,
  );
}
