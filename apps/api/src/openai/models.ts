import { MAX_MODELS, type ModelRecord } from '@chorus/contract';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { modelRoute } from '../protocols/model-route.ts';
import { liveModels } from '../routes/models.ts';

const model = z.object({
  id: z.string().describe('`provider/model`'),
  object: z.literal('model'),
  created: z.int().describe('Unix seconds'),
  owned_by: z.string().describe('The provider'),
});

const present = ({ id, created, owned_by }: ModelRecord) => ({ id, object: 'model' as const, created, owned_by });

export const listOpenAiModels = defineRoute({
  method: 'get',
  path: '/models',
  at: 'openai',
  area: 'openai',
  summary: 'List models',
  description: 'The models of all running workers.',
  needs: 'read',
  answer: z.object({ object: z.literal('list'), data: z.array(model).max(MAX_MODELS) }),
  handle: async ({ services }) => ({ object: 'list', data: (await liveModels(services)).map(present) }),
});

export const getOpenAiModel = modelRoute({
  at: 'openai',
  summary: 'Get a model',
  answer: model,
  models: liveModels,
  present,
});
