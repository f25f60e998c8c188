import { irisVideo } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { checkImage } from './requested-files.ts';

export const irisVideoJob = defineJobPlan(irisVideo, {
  plan: async (request, { owner, path }, services) => {
    const { image_asset_id = null } = request;
    if (image_asset_id !== null) await checkImage(services, owner, image_asset_id, `${path}.image_asset_id`);
    const model = chooseModel(await services.registry.recentWorkers(), {
      pool: 'media',
      capability: 'video',
      asked: request.model,
      configured: services.config.iris.videoModel,
      path: `${path}.model`,
    });
    return {
      kind: 'iris.video',
      model,
      input: {
        model,
        prompt: request.prompt,
        duration_s: request.duration_s,
        fps: request.fps ?? null,
        size: request.size ?? null,
        seed: request.seed ?? null,
        image_asset_id,
      },
    };
  },
});
