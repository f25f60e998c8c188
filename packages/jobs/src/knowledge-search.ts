import { knowledgeSearch } from '@chorus/contract';
import { defineJobPlan } from './define-plan.ts';

export const knowledgeSearchJob = defineJobPlan(knowledgeSearch, {
  plan: async ({ query, top_k, tags, entry_ids }) => ({
    kind: 'knowledge.search',
    model: null,
    input: { query, knowledge: { top_k, tags, entry_ids } },
  }),
});
