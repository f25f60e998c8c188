import { ChorusError, type WorkerHealth } from '@chorus/contract';
import type { Services } from '../services.ts';

/**
 * The model that a request runs: the named one if some worker can run it, else the configured default.
 *
 * @throws {ChorusError} `model_not_found`; `overloaded` while no worker has published its models yet
 */
export async function chooseModel(services: Services, asked: string | undefined): Promise<string> {
  const workers = (await services.registry.recentWorkers()).filter(({ pool }) => pool === 'text');
  if (workers.length === 0) {
    throw new ChorusError('overloaded', 'No worker that can chat has started yet; try again shortly.', {
      retryAfterS: 2,
    });
  }
  if (asked === undefined) {
    const model = services.config.chat.defaultModel ?? workers.find((worker) => worker.default_model)?.default_model;
    if (!model) throw unknownModel('No default model is configured; name one.', workers);
    return model;
  }
  const provider = asked.split('/', 1)[0];
  const known = workers.some(
    (worker) =>
      worker.models.some(({ id, capabilities }) => id === asked && capabilities.includes('chat')) ||
      (asked.length > `${provider}/`.length &&
        worker.providers.some(({ name, any_model }) => name === provider && any_model)),
  );
  if (!known) throw unknownModel(`The model ${JSON.stringify(asked)} is not known here.`, workers);
  return asked;
}

function unknownModel(message: string, workers: Pick<WorkerHealth, 'models'>[]): ChorusError {
  const chat = workers.flatMap(({ models }) => models.filter(({ capabilities }) => capabilities.includes('chat')));
  const ids = [...new Set(chat.map(({ id }) => id))].slice(0, 20);
  return new ChorusError('model_not_found', message, {
    details: [{ path: 'body.model', message: `must be provider/model, such as ${ids.join(', ') || 'openai/…'}` }],
  });
}
