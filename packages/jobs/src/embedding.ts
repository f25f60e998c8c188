import { embedding } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { checkSupported } from './unsupported-fields.ts';

export const embeddingJob = defineJobPlan(embedding, {
  plan: async ({ input, model: asked, dimensions }, { path }, { registry, config }) => {
    const workers = await registry.recentWorkers();
    const model = chooseModel(workers, {
      pool: 'text',
      capability: 'embedding',
      asked,
      configured: config.knowledge.embeddingModel,
      path: `${path}.model`,
    });
    if (dimensions !== undefined) checkSupported(workers, model, ['dimensions'], path);
    return { kind: 'embedding', model, input: { model, texts: [input].flat(), dimensions: dimensions ?? null } };
  },
});
