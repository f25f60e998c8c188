import { MAX_MODELS, type ModelRecord } from '@chorus/contract';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { findModel, liveModels } from '../routes/models.ts';

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

export const getOpenAiModel = defineRoute({
  method: 'get',
  path: '/models/*model',
  at: 'openai',
  area: 'openai',
  summary: 'Get a model',
  description:
    'The slash of `provider/model` may be encoded. A name without provider finds the model if only one has it.',
  needs: 'read',
  params: { model: 'model' },
  answer: model,
  handle: async ({ params, services }) => present(findModel(await liveModels(services), params.model)),
});
