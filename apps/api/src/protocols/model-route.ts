import type { ModelRecord } from '@chorus/contract';
import type { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { findModel } from '../routes/models.ts';
import type { Services } from '../services.ts';

interface ModelAnswers<T extends z.ZodType> {
  at: 'openai' | 'anthropic';
  summary: string;
  answer: T;
  models: (services: Services) => Promise<readonly ModelRecord[]>;
  present: (model: ModelRecord) => z.input<T>;
}

/** Declares the route that gets a model by its id or name. */
export function modelRoute<T extends z.ZodType>({ at, summary, answer, models, present }: ModelAnswers<T>) {
  return defineRoute({
    method: 'get',
    path: '/models/*model',
    at,
    area: at,
    summary,
    description:
      'The slash of `provider/model` may be encoded. A name without provider finds the model if only one has it.',
    needs: 'read',
    params: { model: 'model' },
    answer,
    handle: async ({ params, services }) => present(findModel(await models(services), params.model)),
  });
}
