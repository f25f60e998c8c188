import { checkRate, checkRights, rateSubjectOf } from '@chorus/accounts';
import { ChorusError, describeIssues, type JobKind, newId, parseBounded } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import type { Work } from '@chorus/executions';
import { JOB_PLANS, type JobPlan } from '@chorus/jobs';
import type { z } from 'zod';
import { dispatchWork, requesterOf } from '../executes.ts';
import { fingerprintOf, readIdempotencyKey, runOnce } from '../http/idempotency.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { dropInput } from '../responses/openai-style.ts';
import { readPreference } from '../responses/preferences.ts';
import { ARGUMENTS, type McpTool, type Shown, type WorkOrder } from './define-tool.ts';
import type { SessionCall } from './sessions.ts';

/** How long a call waits for its result, unless `Prefer: wait` says otherwise. */
const WAIT_MS = 600_000;

export interface CallRequest {
  tool: McpTool;
  /** As sent. */
  args: Record<string, unknown>;
  idempotencyKey: string | undefined;
  /** Null: the call cannot be cancelled, since the client has no session. */
  cancellable: SessionCall | null;
}

/** A call whose execution has started. */
export interface RunningCall {
  tool: McpTool;
  record: ExecutionRecord;
  reader: EventReader;
  waitMs: number;
}

/**
 * Begins a call.
 * @throws {ChorusError} for the caller: invalid arguments, rights, limits, and those of the plan; `cancelled` if the
 * client has cancelled it already
 */
export async function beginCall(
  context: ScopedContext,
  { tool, args: given, idempotencyKey, cancellable }: CallRequest,
): Promise<{ shown: Shown } | RunningCall> {
  const args = parseArguments(tool.input, given);
  checkRights(context.credential, context.role, tool.needs(args));
  const start = await tool.start(args, context);
  if ('shown' in start) return start;
  if ('record' in start) return { ...(await joined(context, tool, start.record.id)), waitMs: start.waitMs };

  await limitExecutions(context);
  const { owner, services } = context;
  const waitMs = waitOf(context);
  const begin = async (id: string) => {
    if ((await cancellable?.begin(id)) === false) throw new ChorusError('cancelled', 'The call was cancelled.');
  };
  const run = async (id = newId('job')): Promise<RunningCall> => {
    await begin(id);
    return { tool, ...(await dispatch(context, start.order, id, waitMs)), waitMs };
  };
  const join = async (id: string): Promise<RunningCall> => {
    await begin(id);
    return { ...(await joined(context, tool, id)), waitMs };
  };
  const key = idempotencyKey ?? readIdempotencyKey(context.request);
  const fingerprint = fingerprintOf({ method: 'tools/call', url: tool.name }, given);
  const call = await (key === null
    ? run()
    : runOnce({ database: services.database, owner, key, fingerprint, run, join }));
  // Cancelled during its dispatch, before there was an execution to cancel.
  if (await cancellable?.isCancelled().catch(() => false))
    await services.dispatcher.cancel(owner, call.record.id).catch(() => undefined);
  return call;
}

async function dispatch(context: ScopedContext, { kind, request }: WorkOrder, id: string, waitMs: number) {
  const { plan } = JOB_PLANS[kind] as unknown as JobPlan<JobKind, WorkOrder['request']>;
  const requester = { ...requesterOf(context), path: ARGUMENTS };
  const { ignoredFields: _, ...work } = await plan(request, requester, context.services);
  const { record, reader } = await dispatchWork(context, work as Work, {}, { follow: true, waitMs, id });
  if (reader === null) throw new Error('Dispatched without a reader');
  context.executionId = id;
  dropInput(record);
  return { record, reader };
}

/** Follows an execution that was started earlier. */
async function joined(context: ScopedContext, tool: McpTool, id: string) {
  const { services, owner } = context;
  const record = await services.database.executions.get(owner, id);
  if (record === null) throw unknownRecord('job');
  await holdPlace(context, 'waits');
  context.executionId = id;
  dropInput(record);
  return { tool, record, reader: await services.hub.open(id, 0) };
}

/** Counts an execution. The request itself was already counted, also against the key's own limit. */
async function limitExecutions({ credential, services }: ScopedContext): Promise<void> {
  const { id } = rateSubjectOf(credential);
  const decision = await services.rateLimits.take({ id, limit: null }, 'executions');
  if (decision !== null) checkRate(decision);
}

function waitOf({ request }: ScopedContext): number {
  const { applied, waitMs } = readPreference(request.headers.prefer);
  return applied === null ? WAIT_MS : waitMs;
}

/** @throws {ChorusError} invalid_request, with a detail for each issue */
function parseArguments<Input extends z.ZodType>(schema: Input, given: unknown): z.output<Input> {
  const parsed = parseBounded(schema, given);
  if (parsed.success) return parsed.data;
  const details = describeIssues(parsed.error.issues, ARGUMENTS);
  const message = details.map(({ path, message }) => `${path}: ${message}`).join('\n');
  throw new ChorusError('invalid_request', message, { details });
}
