import {
  type Actor,
  executionOfResponse,
  type ResponseRequest,
  response,
  responseObject,
  responseRequest,
  scopeKey,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { JOB_PLANS } from '@chorus/jobs';
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { sendJson } from '../../http/answer.ts';
import type { ScopedContext } from '../../http/request-context.ts';
import { joinWork, runWork, waitForSuccess } from '../../protocols/run-work.ts';
import { optionsOf, presentRecord } from './response-record.ts';
import { streamResponse } from './stream-response.ts';

export const responseFrame = z.looseObject({
  type: z.string().describe('`response.created`, `response.output_text.delta`, …'),
  sequence_number: z.int().describe('Counts from 0 without gaps. Pass it as `starting_after` to resume.'),
});

/** The plan names the ignored fields, and its errors name those of the body. */
const NO_CHANGES = { ignored: [], rename: (text: string) => text };

export const createResponse = defineRoute({
  method: 'post',
  path: '/responses',
  at: 'openai',
  area: 'openai',
  summary: 'Create a response',
  description:
    'Implements Open Responses. `background: true` answers at once; follow the response with `GET /responses/{id}`. ' +
    'Tools are functions that you run. Fields that would change the answer and are not supported are refused.',
  needs: 'run',
  body: responseRequest,
  answer: responseObject,
  streams: responseFrame,
  answerHeaders: {
    'X-Execution-ID': 'The execution, for `/api/v1/jobs`.',
    'X-Ignored-Fields': 'Names of ignored fields.',
  },
  refuses: ['not_found', 'provider_error', 'timeout'],
  executes: (context, id) => joinWork(context, id, (record, reader) => deliver(context, record, reader)),
  handle: ({ body, context, actor }) =>
    runWork(context, JOB_PLANS.response, body, NO_CHANGES, async (record, reader) => {
      await auditDecisions(context, actor, body);
      return deliver(context, record, reader);
    }),
});

/** Records in the audit log who decided on calls of the previous response. A failure does not stop the response. */
async function auditDecisions(
  { services, owner, log }: ScopedContext,
  actor: Actor,
  { input, previous_response_id: previous }: ResponseRequest,
): Promise<void> {
  const id = previous == null ? null : executionOfResponse(previous);
  if (id === null || !Array.isArray(input)) return;
  for (const item of input) {
    if (item.type !== 'mcp_approval_response') continue;
    const action = item.approve ? 'tool_call.approved' : 'tool_call.denied';
    const details = { tool_call_id: item.approval_request_id };
    const entry = { scope_key: scopeKey(owner), action, target: { type: 'job', id }, details } as const;
    await services.accounts.audit
      .record(actor, entry)
      .catch((err) => log.error({ err, execution_id: id }, 'decision about a tool call not in the audit log'));
  }
}

async function deliver(context: ScopedContext, record: ExecutionRecord, reader: EventReader): Promise<undefined> {
  const { options } = optionsOf(record);
  if (options.background && !options.stream) {
    reader.close();
    sendJson(context.response, 200, presentRecord(record));
    return;
  }
  if (options.stream) await streamResponse(context, record, reader, { mayRefuse: options.background !== true });
  else {
    const ended = await waitForSuccess(context, record, reader);
    if (ended) sendJson(context.response, 200, presentRecord(ended));
  }
  if (response.isTransient?.({ options })) await discard(context, record);
}

/** Deletes a response that must not be stored, unless it still runs. The sweep deletes what this leaves. */
async function discard({ services, owner, log }: ScopedContext, { id }: ExecutionRecord): Promise<void> {
  const { database, deletions } = services;
  try {
    const current = await database.executions.get(owner, id);
    if (current === null || current.finished_at === null) return;
    await deletions.carryOut({ kind: 'execution', id, owner }, () => database.executions.blank([id]));
  } catch (err) {
    log.warn({ err, execution_id: id }, 'response not deleted after its delivery; the sweep deletes it');
  }
}
