import { MAX_MODELS, type ModelRecord } from '@chorus/contract';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { modelRoute } from '../protocols/model-route.ts';
import { liveModels } from '../routes/models.ts';
import type { Services } from '../services.ts';

const model = z.object({
  type: z.literal('model'),
  id: z.string().describe('`provider/model`'),
  display_name: z.string().describe('The name without the provider'),
  created_at: z.iso.datetime(),
  max_input_tokens: z.int().nullable().describe('Maximum tokens of a conversation; null: unknown'),
});

const present = ({ id, created, context_window }: ModelRecord) => ({
  type: 'model' as const,
  id,
  display_name: id.slice(id.indexOf('/') + 1),
  created_at: new Date(created * 1_000).toISOString(),
  max_input_tokens: context_window,
});

/** Messages are the only use of models here. */
async function chatModels(services: Services): Promise<ModelRecord[]> {
  return (await liveModels(services)).filter(({ capabilities }) => capabilities.includes('chat'));
}

export const listAnthropicModels = defineRoute({
  method: 'get',
  path: '/models',
  at: 'anthropic',
  area: 'anthropic',
  summary: 'List chat models',
  description: 'The chat models of all running workers, by name.',
  needs: 'read',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(1_000).default(20).describe('Page size'),
    after_id: z.string().max(200).optional().describe('`last_id` of the previous page'),
    before_id: z.string().max(200).optional().describe('`first_id` of the next page'),
  }),
  answer: z.object({
    data: z.array(model).max(MAX_MODELS),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  }),
  handle: async ({ query: { limit, after_id: after, before_id: before }, services }) => {
    const all = await chatModels(services);
    const found = all.filter(({ id }) => (after === undefined || id > after) && (before === undefined || id < before));
    const isBackward = before !== undefined && after === undefined;
    const data = (isBackward ? found.slice(-limit) : found.slice(0, limit)).map(present);
    const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    return { data, has_more: data.length < found.length, first_id, last_id };
  },
});

export const getAnthropicModel = modelRoute({
  at: 'anthropic',
  summary: 'Get a chat model',
  answer: model,
  models: chatModels,
  present,
});
