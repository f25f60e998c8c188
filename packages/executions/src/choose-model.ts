import { type Capability, ChorusError, type Pool, type WorkerHealth } from '@chorus/contract';

export interface ModelRequest {
  pool: Pool;
  capability: Capability;
  /** `provider/model`, or the name of a model that only one provider has. Absent: the default. */
  asked?: string | undefined;
  /** The configured default. Null: the first model of the workers. */
  configured: string | null;
  /** Field of the request, for the error. */
  path?: string;
}

type Worker = Pick<WorkerHealth, 'pool' | 'models' | 'providers' | 'default_model'>;

/** Verbs for capabilities whose names are not verbs. */
const VERBS: Partial<Record<Capability, string>> = {
  vision: 'see',
  image: 'make images',
  video: 'make videos',
  speech: 'speak',
  transcription: 'transcribe',
  embedding: 'embed',
  ocr: 'read pages',
};
const verbOf = (capability: Capability) => VERBS[capability] ?? capability;

/** Models to list in an error. */
const MAX_NAMED = 20;

/**
 * Returns the model for a request: the requested one, which some worker must be able to run, or the default.
 *
 * @throws {ChorusError} `model_not_found`; `feature_unavailable` if no worker can run the model here;
 * `overloaded` while no worker of the pool has published its models yet
 */
export function chooseModel(workers: readonly Worker[], wish: ModelRequest): string {
  const { capability, asked, configured } = wish;
  const able = workers.filter(({ pool }) => pool === wish.pool);
  if (able.length === 0) {
    throw tryAgain(`No worker that can ${verbOf(capability)} has started yet`);
  }
  const listed = able.flatMap(({ models }) =>
    models.filter(({ capabilities }) => capabilities.includes(capability)).map(({ id }) => id),
  );
  const unknown = (message: string) => {
    const names = [...new Set(listed)].slice(0, MAX_NAMED).join(', ');
    const details = [
      { path: wish.path ?? 'body.model', message: `must be provider/model, such as ${names || 'openai/…'}` },
    ];
    return new ChorusError('model_not_found', message, { details });
  };
  const usable = (model: string) => {
    const entries = able.flatMap(({ models }) => models.filter(({ id }) => id === model));
    const reason = entries.every(({ unavailable }) => unavailable !== undefined) && entries[0]?.unavailable;
    if (reason) throw new ChorusError('feature_unavailable', reason, { notStarted: true });
    return model;
  };
  if (asked === undefined) {
    const model = configured ?? (capability === 'chat' ? defaultChat(able) : listed[0]);
    // A provider with a higher priority has not reported its models yet.
    if (model === undefined && listed.length > 0) throw tryAgain('Providers have not reported their models yet');
    if (model === undefined) throw unknown(`No model that can ${verbOf(capability)} is configured. Set \`model\`.`);
    return usable(model);
  }
  if (listed.includes(asked)) return usable(asked);
  const named = modelsNamed(listed, asked);
  if (named.length > 1)
    throw unknown(`Several providers have the model ${JSON.stringify(asked)}: ${named.join(', ')}.`);
  if (named[0] !== undefined) return usable(named[0]);
  if (acceptsUnlisted(able, listed, capability, asked)) return asked;
  throw unknown(`Unknown model ${JSON.stringify(asked)}: no worker can use it to ${verbOf(capability)}.`);
}

/** Returns the name if it is an id, or else the ids of all models with that name. */
export function modelsNamed(ids: readonly string[], name: string): string[] {
  if (ids.includes(name)) return [name];
  return [...new Set(ids)].filter((id) => id.slice(id.indexOf('/') + 1) === name);
}

function tryAgain(why: string): ChorusError {
  return new ChorusError('overloaded', `${why}. Try again shortly.`, { retryAfterS: 2 });
}

/** Returns the first capable model of a pool, or null. */
export function firstModel(
  workers: readonly Worker[],
  { pool, capability }: Pick<ModelRequest, 'pool' | 'capability'>,
) {
  const models = workers.flatMap((worker) => (worker.pool === pool ? worker.models : []));
  return models.find(({ capabilities }) => capabilities.includes(capability))?.id ?? null;
}

function defaultChat(workers: readonly Worker[]): string | undefined {
  return workers.find((worker) => worker.default_model)?.default_model ?? undefined;
}

/** Returns whether the provider accepts unlisted models of this capability. */
function acceptsUnlisted(workers: readonly Worker[], listed: string[], capability: Capability, asked: string): boolean {
  const provider = asked.split('/', 1)[0] as string;
  if (asked.length <= provider.length + 1) return false;
  const any = workers.some(({ providers }) => providers.some(({ name, any_model }) => name === provider && any_model));
  if (capability === 'chat') return any;
  const isOther = workers.some(({ models }) => models.some(({ id }) => id === asked));
  const hasSuch = listed.some((id) => id.startsWith(`${provider}/`));
  // fal offers more than a thousand image models and lists only a few.
  return !isOther && hasSuch && provider !== 'embedded';
}
