import { irisVerify } from '@chorus/contract';
import { chooseModel, firstModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { sourceOf } from './requested-files.ts';

export const irisVerifyJob = defineJobPlan(irisVerify, {
  plan: async (request, requester, services) => {
    const source = await sourceOf(services, requester, request);
    const { expected_text = null, prompt = null, model: asked } = request;
    const workers = await services.registry.recentWorkers();
    const wish = { pool: 'vision', capability: 'vision' } as const;
    const seeing =
      asked === undefined
        ? firstModel(workers, wish)
        : chooseModel(workers, { ...wish, asked, configured: null, path: `${requester.path}.model` });
    // Only prompts need a model.
    const model = prompt === null ? null : seeing;
    return { kind: 'iris.verify', model, input: { source, expected_text, prompt, model } };
  },
});
