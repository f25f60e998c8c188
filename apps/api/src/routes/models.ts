import { listOf, MAX_MODELS, type ModelRecord, modelRecord, modelsQuery } from '@chorus/contract';
import { modelsNamed } from '@chorus/executions';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

export const listModels = defineRoute({
  method: 'get',
  path: '/models',
  area: 'models',
  summary: 'List available models',
  description:
    "The models of all running workers, in the format of OpenAI's list. Some providers accept more model names than they list.",
  needs: 'read',
  query: modelsQuery,
  answer: listOf(modelRecord, MAX_MODELS),
  handle: async ({ query: { limit, after = '' }, services }) => {
    const behind = (await liveModels(services)).filter(({ id }) => id > after);
    const data = behind.slice(0, limit);
    const hasMore = data.length < behind.length;
    return { object: 'list', data, has_more: hasMore, next_cursor: hasMore ? (data.at(-1)?.id ?? null) : null };
  },
});

/** Returns the models of all running workers, by id. */
export async function liveModels({ registry }: Pick<Services, 'registry'>): Promise<ModelRecord[]> {
  const models = new Map<string, ModelRecord>();
  for (const worker of await registry.workers()) {
    if (!worker.alive) continue;
    // One worker that can run it is enough.
    for (const model of worker.models)
      if (model.unavailable === undefined || !models.has(model.id)) models.set(model.id, model);
  }
  return [...models.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * Returns the model with this id, or the only one with this name.
 * @throws {ChorusError} not_found
 */
export function findModel(models: readonly ModelRecord[], name: string): ModelRecord {
  const ids = modelsNamed(
    models.map(({ id }) => id),
    name,
  );
  const found = models.find(({ id }) => id === ids[0]);
  if (found === undefined || ids.length > 1) throw unknownRecord('model');
  return found;
}
