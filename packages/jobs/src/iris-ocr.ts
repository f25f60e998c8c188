import { irisOcr } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';
import { sourceOf } from './requested-files.ts';

const DEFAULT_LANGUAGES = ['eng'];

export const irisOcrJob = defineJobPlan(irisOcr, {
  plan: async (request, requester, services) => {
    const source = await sourceOf(services, requester, request);
    const workers = await services.registry.recentWorkers();
    const asked = request.model;
    const listed = workers.flatMap(({ models }) => models.filter(({ id }) => id === asked));
    const isEngine = asked === undefined || listed.some(({ capabilities }) => capabilities.includes('ocr'));
    const model = chooseModel(workers, {
      pool: 'vision',
      capability: isEngine ? 'ocr' : 'vision',
      asked,
      configured: null,
      path: `${requester.path}.model`,
    });
    const { languages = DEFAULT_LANGUAGES, pages = null } = request;
    return { kind: 'iris.ocr', model, input: { model, source, languages, pages } };
  },
});
