import { type Capability, ChorusError, type Pool, type WorkerHealth } from '@chorus/contract';

export interface ModelWish {
  pool: Pool;
  capability: Capability;
  /** `provider/model`; absent: the default. */
  asked?: string | undefined;
  /** What is configured as the default; null: the first that the workers have. */
  configured: string | null;
  /** Where the request names it, for the error. */
  path?: string;
}

type Worker = Pick<WorkerHealth, 'pool' | 'models' | 'providers' | 'default_model'>;

const WORDS: Record<Capability, string> = {
  chat: 'chat',
  vision: 'see',
  image: 'make images',
  video: 'make videos',
  speech: 'speak',
  transcription: 'transcribe',
  embedding: 'embed',
  ocr: 'read pages',
};

/** How many known models an error names. */
const NAMED = 20;

/**
 * The model that a request runs: the named one if some worker can run it, else the default.
 *
 * @throws {ChorusError} `model_not_found`; `overloaded` while no worker of the pool has published its models yet
 */
export function chooseModel(workers: readonly Worker[], wish: ModelWish): string {
  const { capability, asked, configured } = wish;
  const able = workers.filter(({ pool }) => pool === wish.pool);
  if (able.length === 0) {
    throw tryAgain(`No worker that can ${WORDS[capability]} has started yet`);
  }
  const listed = able.flatMap(({ models }) =>
    models.filter(({ capabilities }) => capabilities.includes(capability)).map(({ id }) => id),
  );
  const unknown = (message: string) => {
    const names = [...new Set(listed)].slice(0, NAMED).join(', ');
    const details = [
      { path: wish.path ?? 'body.model', message: `must be provider/model, such as ${names || 'openai/…'}` },
    ];
    return new ChorusError('model_not_found', message, { details });
  };
  if (asked === undefined) {
    const model = configured ?? (capability === 'chat' ? defaultChat(able) : listed[0]);
    // There is one for sure: some provider that comes first has not told its models yet.
    if (model === undefined && listed.length > 0) throw tryAgain('The providers are being asked for their models');
    if (model === undefined) throw unknown(`No model that can ${WORDS[capability]} is configured; name one.`);
    return model;
  }
  if (!listed.includes(asked) && !takesUnlisted(able, listed, capability, asked)) {
    throw unknown(`No model ${JSON.stringify(asked)} that can ${WORDS[capability]} is known here.`);
  }
  return asked;
}

function tryAgain(why: string): ChorusError {
  return new ChorusError('overloaded', `${why}; try again shortly.`, { retryAfterS: 2 });
}

/** The first of these models that a worker of the pool has; null: none. */
export function firstModel(workers: readonly Worker[], { pool, capability }: Pick<ModelWish, 'pool' | 'capability'>) {
  const models = workers.flatMap((worker) => (worker.pool === pool ? worker.models : []));
  return models.find(({ capabilities }) => capabilities.includes(capability))?.id ?? null;
}

function defaultChat(workers: readonly Worker[]): string | undefined {
  return workers.find((worker) => worker.default_model)?.default_model ?? undefined;
}

/** Whether the provider takes models of this capability that it does not list. What it lists for other things is none of them. */
function takesUnlisted(workers: readonly Worker[], listed: string[], capability: Capability, asked: string): boolean {
  const provider = asked.split('/', 1)[0] as string;
  if (asked.length <= provider.length + 1) return false;
  const any = workers.some(({ providers }) => providers.some(({ name, any_model }) => name === provider && any_model));
  if (capability === 'chat') return any;
  const isOther = workers.some(({ models }) => models.some(({ id }) => id === asked));
  const hasSuch = listed.some((id) => id.startsWith(`${provider}/`));
  // fal makes pictures by more than a thousand models and lists a few of them.
  return !isOther && hasSuch && provider !== 'embedded';
}
