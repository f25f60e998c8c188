import { listOf, MAX_MODELS, type ModelRecord, modelRecord, modelsQuery } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

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
    const models = new Map<string, ModelRecord>();
    for (const worker of await services.registry.workers()) {
      if (!worker.alive) continue;
      for (const model of worker.models) models.set(model.id, model);
    }
    const sorted = [...models.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    const behind = sorted.filter(({ id }) => id > after);
    const data = behind.slice(0, limit);
    const hasMore = data.length < behind.length;
    return { object: 'list', data, has_more: hasMore, next_cursor: hasMore ? (data.at(-1)?.id ?? null) : null };
  },
});
