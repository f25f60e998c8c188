import { chooseModel } from '@chorus/executions';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { noteIgnored } from '../protocols/check-fields.ts';
import { countedBody } from './message-body.ts';
import { estimateInput } from './to-chat-request.ts';

export const countTokens = defineRoute({
  method: 'post',
  path: '/messages/count_tokens',
  at: 'anthropic',
  area: 'anthropic',
  summary: 'Count the tokens of a message',
  description:
    'Returns an upper estimate, the same for all models: texts by their length, and 1,500 tokens for each image or file. ' +
    'It asks no provider and costs nothing.',
  needs: 'run',
  rateClass: 'reads',
  body: countedBody,
  answer: z.object({ input_tokens: z.int().describe('Estimated') }),
  answerHeaders: { 'X-Ignored-Fields': 'Names of ignored fields.' },
  refuses: ['model_not_found'],
  handle: async ({ body, services, response }) => {
    const asked = body.model;
    const workers = await services.registry.recentWorkers();
    chooseModel(workers, { pool: 'text', capability: 'chat', asked, configured: null });
    noteIgnored(response, countedBody, body);
    return { input_tokens: estimateInput(body) };
  },
});
