import { IMAGE_OPTIONS, imageInputOf, irisImage } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { checkImage } from './requested-files.ts';
import { checkSupported } from './unsupported-fields.ts';

export const irisImageJob = defineJobPlan(irisImage, {
  plan: async (request, { owner, path }, services) => {
    const { reference_asset_ids: references = [], mask_asset_id } = request;
    await Promise.all([
      ...references.map((id, index) => checkImage(services, owner, id, `${path}.reference_asset_ids.${index}`)),
      ...(mask_asset_id === undefined ? [] : [checkImage(services, owner, mask_asset_id, `${path}.mask_asset_id`)]),
    ]);
    const workers = await services.registry.recentWorkers();
    const model = chooseModel(workers, {
      pool: 'media',
      capability: 'image',
      asked: request.model,
      configured: services.config.iris.imageModel,
      path: `${path}.model`,
    });
    const given = IMAGE_OPTIONS.filter((name) => request[name] !== undefined);
    checkSupported(workers, model, given, path);
    return { kind: 'iris.image', model, input: imageInputOf(request, model) };
  },
});
