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

/** As long as a call waits for its result, unless `Prefer: wait` says otherwise. */
const WAIT_MS = 600_000;

export interface CallRequest {
  tool: McpTool;
  /** As sent. */
  args: Record<string, unknown>;
  idempotencyKey: string | undefined;
  /** Null: the call cannot be cancelled, since the client has no session. */
  cancellable: SessionCall | null;
}

/** A call whose execution has begun. */
export interface RunningCall {
  tool: McpTool;
  record: ExecutionRecord;
  reader: EventReader;
  waitMs: number;
}

/**
 * Begins a call. Null: the client has cancelled it already.
 * @throws {ChorusError} for the caller: invalid arguments, rights, limits, and those of the plan
 */
export async function beginCall(
  context: ScopedContext,
  { tool, args: given, idempotencyKey, cancellable }: CallRequest,
): Promise<{ shown: Shown } | RunningCall | null> {
  const args = parseArguments(tool.input, given);
  checkRights(context.credential, context.role, tool.needs(args));
  const start = await tool.start(args, context);
  if ('shown' in start) return start;
  if ('record' in start) return { ...(await joined(context, tool, start.record.id)), waitMs: start.waitMs };

  await limitExecutions(context);
  const run = async (id: string): Promise<RunningCall | null> => {
    if ((await cancellable?.begin(id)) === false) return null;
    return { tool, ...(await dispatch(context, start.order, id)), waitMs: waitOf(context) };
  };
  const call = await once(context, { tool, given, idempotencyKey }, run);
  if (call === null || !(await cancellable?.isCancelled().catch(() => false))) return call;
  // Cancelled while it was dispatched, when there was no execution to cancel yet.
  await context.services.dispatcher.cancel(context.owner, call.record.id);
  return call;
}

/** Runs a call, or joins the execution of an earlier call with the same key. */
async function once(
  context: ScopedContext,
  {
    tool,
    given,
    idempotencyKey,
  }: { tool: McpTool; given: Record<string, unknown>; idempotencyKey: string | undefined },
  run: (id: string) => Promise<RunningCall | null>,
): Promise<RunningCall | null> {
  const key = idempotencyKey ?? readIdempotencyKey(context.request);
  if (key === null) return run(newId('job'));
  const asked = { method: 'tools/call', url: tool.name };
  return runOnce({
    database: context.services.database,
    owner: context.owner,
    key,
    fingerprint: fingerprintOf(asked, given),
    run: (id = newId('job')) => run(id),
    join: async (id) => ({ ...(await joined(context, tool, id)), waitMs: waitOf(context) }),
  });
}

async function dispatch(context: ScopedContext, { kind, request }: WorkOrder, id: string) {
  const { plan } = JOB_PLANS[kind] as unknown as JobPlan<JobKind, WorkOrder['request']>;
  const requester = { ...requesterOf(context), path: ARGUMENTS };
  const { ignoredFields: _, ...work } = await plan(request, requester, context.services);
  const { record, reader } = await dispatchWork(context, work as Work, {}, { follow: true, id });
  if (reader === null) throw new Error('Dispatched without a reader');
  context.executionId = id;
  dropInput(record);
  return { record, reader };
}

/** Follows an execution that has begun before. */
async function joined(context: ScopedContext, tool: McpTool, id: string) {
  const { services, owner } = context;
  const record = await services.database.executions.get(owner, id);
  if (record === null) throw unknownRecord('job');
  await holdPlace(context, 'waits');
  context.executionId = id;
  dropInput(record);
  return { tool, record, reader: await services.hub.open(id, 0) };
}

/** Counts an execution. The request itself has been counted before, against the key's own limit, too. */
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
  const details = describeIssues(schema, parsed.error.issues, ARGUMENTS);
  const message = details.map(({ path, message }) => `${path}: ${message}`).join('\n');
  throw new ChorusError('invalid_request', message, { details });
}
