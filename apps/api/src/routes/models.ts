import { listOf, MAX_MODELS, type ModelRecord, modelRecord, modelsQuery } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const listModels = defineRoute({
  method: 'get',
  path: '/models',
  area: 'models',
  summary: 'List the models that can be run now',
  description:
    "What the running workers have published, in the shape of OpenAI's list. Providers that take names they don't list may run more than these.",
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
