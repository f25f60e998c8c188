import { knowledgeRead } from '@chorus/contract';
import { defineJobPlan } from './define-plan.ts';
import { sourceOf } from './requested-files.ts';

export const knowledgeReadJob = defineJobPlan(knowledgeRead, {
  plan: async (request, requester, services) => {
    const { pages = null, languages = [], offset, max_chars } = request;
    const source = await sourceOf(services, requester, request);
    return { kind: 'knowledge.read', model: null, input: { source, pages, languages, offset, max_chars } };
  },
});
