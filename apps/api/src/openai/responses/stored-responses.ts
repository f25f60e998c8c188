import {
  ChorusError,
  executionOfResponse,
  mayChange,
  presentInputItem,
  presentResponse,
  queryFlag,
  responseInclude,
  responseObject,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { deletableExecution, deleteExecution } from '@chorus/executions';
import { inputItems, isStoredResponse, storedInput } from '@chorus/jobs';
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { waitForEnd } from '../../executes.ts';
import type { ScopedContext } from '../../http/request-context.ts';
import { unknownRecord } from '../../http/unknown-record.ts';
import { latestRecord } from '../../latest-record.ts';
import { holdPlace } from '../../responses/hold-place.ts';
import { dropInput } from '../../responses/openai-style.ts';
import { responseFrame } from './create-response.ts';
import { optionsOf, presentRecord } from './response-record.ts';
import { streamResponse } from './stream-response.ts';

/** How long a cancellation waits until the worker confirms. */
const CANCEL_WAIT_MS = 5_000;

const params = { response_id: 'response' } as const;

/** Lists in queries are `include=…`, or `include[]=…` as OpenAI's clients send them. */
const include = z.preprocess((value) => (typeof value === 'string' ? [value] : value), responseInclude).optional();
const includes = { include, 'include[]': include };

async function storedResponse(
  { services, owner }: Pick<ScopedContext, 'services' | 'owner'>,
  id: string,
): Promise<ExecutionRecord> {
  const executionId = executionOfResponse(id);
  const record = executionId === null ? null : await latestRecord(services, owner, executionId);
  if (record === null || !isStoredResponse(record)) throw unknownRecord('response');
  return record;
}

export const getResponse = defineRoute({
  method: 'get',
  path: '/responses/:response_id',
  at: 'openai',
  area: 'openai',
  summary: 'Get a response',
  description:
    'With `stream=true`, its events: from the start, or after `starting_after`, on any API process, while it runs and ' +
    'for an hour after.',
  needs: 'read',
  params,
  query: z.strictObject({
    stream: queryFlag.default(false),
    starting_after: z.coerce
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('The `sequence_number` of the last event you received'),
    include_obfuscation: queryFlag.optional().describe('Has no effect: events are not padded'),
    ...includes,
  }),
  answer: responseObject,
  streams: responseFrame,
  handle: async ({ params: { response_id }, query, services, context }) => {
    const record = await storedResponse(context, response_id);
    if (!query.stream) {
      const { options } = optionsOf(record);
      const asked = query.include ?? query['include[]'] ?? [];
      return presentResponse(record, { ...options, include: [...(options.include ?? []), ...asked] });
    }
    await holdPlace(context, 'streams');
    context.executionId = record.id;
    dropInput(record);
    await streamResponse(context, record, await services.hub.open(record.id, 0), { after: query.starting_after });
    return undefined;
  },
});

export const cancelResponse = defineRoute({
  method: 'post',
  path: '/responses/:response_id/cancel',
  at: 'openai',
  area: 'openai',
  summary: 'Cancel a background response',
  description: 'A response that has ended stays as it is. Editors can cancel their own responses, admins all.',
  needs: 'run',
  params,
  answer: responseObject,
  handle: async ({ params: { response_id }, owner, role, services, context }) => {
    const record = await storedResponse(context, response_id);
    if (!mayChange(role, owner, record.owner))
      throw new ChorusError('role_forbidden', 'Another member runs this response; an admin can cancel it.');
    if (!optionsOf(record).options.background)
      throw new ChorusError(
        'invalid_request',
        `Only background responses can be cancelled. Cancel this one with POST /api/v1/jobs/${record.id}/cancel.`,
      );
    if (record.finished_at !== null) return presentRecord(record);
    await holdPlace(context, 'waits');
    const reader = await services.hub.open(record.id, 0);
    await services.dispatcher.cancel(owner, record.id).catch((error) => {
      reader.close();
      throw error;
    });
    return presentRecord(await waitForEnd(context, record, reader, CANCEL_WAIT_MS));
  },
});

export const deleteResponse = defineRoute({
  method: 'delete',
  path: '/responses/:response_id',
  at: 'openai',
  area: 'openai',
  summary: 'Delete a response',
  description:
    'With its input, output and events. Later responses of the conversation stay. A running response is 409 ' +
    '`job_running`: cancel it first. Editors can delete their own responses, admins all.',
  needs: 'write',
  params,
  answer: z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
  refuses: ['job_running'],
  handle: async ({ params: { response_id }, actor, owner, role, services, context }) => {
    const { database, deletions, accounts } = services;
    const { id } = await storedResponse(context, response_id);
    await deletions.carryOut({ kind: 'execution', id, owner }, async () => {
      const record = await deletableExecution(database, { owner, role }, id);
      await deleteExecution(database, accounts.audit, actor, record);
    });
    return { id: response_id, object: 'response', deleted: true };
  },
});

const MAX_ITEMS = 100;

export const listInputItems = defineRoute({
  method: 'get',
  path: '/responses/:response_id/input_items',
  at: 'openai',
  area: 'openai',
  summary: 'List the input items of a response',
  description: 'The whole conversation before the response, newest first unless `order=asc`.',
  needs: 'read',
  params,
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(MAX_ITEMS).default(20),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: z.string().max(256).optional().describe('An item id: returns those behind it'),
    ...includes,
  }),
  answer: z.object({
    object: z.literal('list'),
    data: z.array(z.looseObject({ id: z.string(), type: z.string() })).max(MAX_ITEMS),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  }),
  handle: async ({ params: { response_id }, query: { limit, order, after }, context }) => {
    const record = await storedResponse(context, response_id);
    const input = storedInput(record);
    const items = input === null ? [] : inputItems(record.id, input);
    if (order === 'desc') items.reverse();
    const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0)
      throw new ChorusError('invalid_request', 'query.after: is not an item of this response', {
        details: [{ path: 'query.after', message: 'is not an item of this response' }],
      });
    const data = items.slice(start, start + limit).map((item) => presentInputItem(item));
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: start + limit < items.length,
    };
  },
});
