import { irisUpscale } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { checkImage } from './requested-files.ts';

export const irisUpscaleJob = defineJobPlan(irisUpscale, {
  plan: async ({ asset_id, factor, model: asked }, { owner, path }, services) => {
    await checkImage(services, owner, asset_id, `${path}.asset_id`);
    const model = chooseModel(await services.registry.recentWorkers(), {
      pool: 'media',
      capability: 'upscale',
      asked,
      configured: null,
      path: `${path}.model`,
    });
    return { kind: 'iris.upscale', model, input: { asset_id, factor, model } };
  },
});
