import { listOf, type ModelRecord, modelRecord } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const listModels = defineRoute({
  method: 'get',
  path: '/models',
  area: 'models',
  summary: 'List the models that can be run now',
  description:
    "What the running workers have published, in the shape of OpenAI's list. Providers that take names they don't list may run more than these.",
  needs: 'read',
  answer: listOf(modelRecord),
  handle: async ({ services }) => {
    const models = new Map<string, ModelRecord>();
    for (const worker of await services.registry.workers()) {
      if (!worker.alive) continue;
      for (const model of worker.models) models.set(model.id, model);
    }
    const data = [...models.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { object: 'list', data, has_more: false, next_cursor: null };
  },
});
