import { irisImage } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { checkImage } from './requested-files.ts';

export const irisImageJob = defineJobPlan(irisImage, {
  plan: async (request, { owner, path }, services) => {
    const references = request.reference_asset_ids ?? [];
    await Promise.all(
      references.map((id, index) => checkImage(services, owner, id, `${path}.reference_asset_ids.${index}`)),
    );
    const model = chooseModel(await services.registry.recentWorkers(), {
      pool: 'media',
      capability: 'image',
      asked: request.model,
      configured: services.config.iris.imageModel,
      path: `${path}.model`,
    });
    return {
      kind: 'iris.image',
      model,
      input: {
        model,
        prompts: request.prompts ?? [request.prompt as string],
        n: request.n,
        size: request.size ?? null,
        seed: request.seed ?? null,
        negative_prompt: request.negative_prompt ?? null,
        reference_asset_ids: references,
      },
    };
  },
});
