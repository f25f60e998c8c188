import {
  execution,
  findKind,
  isTerminal,
  type JobKind,
  type KindDefinition,
  type KindRoute,
  SPEECH_TYPES,
  type SpeechFormat,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { follow, type Work } from '@chorus/executions';
import { checkAddress, JOB_PLANS, type JobPlan, type Requester } from '@chorus/jobs';
import type { Dispatched } from '@chorus/queue';
import { defineRoute, type Route } from './define-route.ts';
import { sendJson } from './http/answer.ts';
import type { ScopedContext } from './http/request-context.ts';
import { unknownRecord } from './http/unknown-record.ts';
import { presentOne } from './present.ts';
import { onDisconnect } from './responses/event-stream.ts';
import { holdPlace } from './responses/hold-place.ts';
import { answerFailure, dropInput, isOpenAiStyle } from './responses/openai-style.ts';
import { acceptedSound, type Preference, readPreference } from './responses/preferences.ts';
import { streamEvents } from './responses/stream.ts';
import { streamSound } from './responses/stream-sound.ts';
import type { Services } from './services.ts';

const PREFER =
  '`respond-async`: returns the queued execution at once. `wait=<s>`: how long to wait for the result, 0 to 300, default 60. A queued execution then waits no longer for its provider.';

/** Declares the route of a kind: plans the request, dispatches it, and answers the way the caller chose. */
export function executes<K extends JobKind>({
  kind,
  path,
  surface,
  request,
  soundOf,
  route: { headers, ...route },
}: KindDefinition<K> & { route: KindRoute }): Route {
  const plan = JOB_PLANS[kind] as unknown as JobPlan<K, WorkRequest>;
  return defineRoute({
    answer: execution,
    ...route,
    handle: ({ body, context }) => {
      const asked = body as WorkRequest;
      return soundOf ? runSpoken(context, plan, asked) : runRequest(context, plan, asked);
    },
    method: 'post',
    path,
    area: surface,
    needs: 'run',
    executes: joinExecution,
    streams: true,
    body: request,
    headers: { ...headers, Prefer: PREFER },
  });
}

/** Runs a request whose response may be audio, in the format of the request or of `Accept`. */
function runSpoken<K extends JobKind>(
  context: ScopedContext,
  plan: JobPlan<K, WorkRequest>,
  { stream = false, ...request }: WorkRequest & { format?: string; response_format?: string },
): Promise<undefined> {
  const sound = wantsSound(context, stream === true);
  const wanted = request.format ?? request.response_format;
  const format = wanted ?? acceptedSound(context.request.headers.accept) ?? undefined;
  const asked = { ...request, format, stream: stream === true || sound };
  return runRequest(context, plan, asked, { stream: stream === true, sound });
}

export interface WorkRequest {
  stream?: boolean | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  webhook_url?: string | null | undefined;
}

export interface RunOptions {
  /** Whether to answer with the audio of a voice turn. */
  sound?: boolean;
  /** The execution to repeat. Its webhook applies unless the request names one. */
  again?: { id: string; webhook_url: string | null };
  /** The new execution's id. Default: the one planned for the request, or a new one. */
  id?: string | undefined;
}

/** Plans a request, runs it, and answers the way the caller chose. */
export async function runRequest<K extends JobKind, Request extends WorkRequest>(
  context: ScopedContext,
  { plan }: JobPlan<K, Request>,
  request: Request,
  { stream = request.stream ?? false, sound }: { stream?: boolean; sound?: boolean } = {},
): Promise<undefined> {
  const { ignoredFields = [], ...work } = await plan(request, requesterOf(context), context.services);
  if (ignoredFields.length > 0) context.response.setHeader('X-Ignored-Fields', ignoredFields.join(', '));
  return runWork(context, work as Work, { ...request, stream }, { sound });
}

/** Runs work, and answers the way the caller chose. */
export async function runWork(
  context: ScopedContext,
  work: Work,
  request: WorkRequest,
  { sound = false, again, id }: RunOptions = {},
): Promise<undefined> {
  const preference = readPreference(context.request.headers.prefer);
  const options = { stream: request.stream ?? false, sound, preference };
  const waitMs = explicitWait(options);
  const dispatched = await dispatchWork(context, work, request, { follow: follows(options), waitMs, again, id });
  return deliver(context, dispatched, options);
}

/** Returns how long the caller said that it waits. Undefined: it did not, or it follows the events. */
function explicitWait({ stream, sound = false, preference }: DeliveryOptions): number | undefined {
  return stream || sound || preference.applied === null ? undefined : preference.waitMs;
}

/**
 * Dispatches work for a request.
 * @param options.follow whether to open a reader of its events
 * @param options.waitMs how long the caller waits for its end, so that it waits no longer for its provider
 */
export function dispatchWork(
  context: ScopedContext,
  work: Work,
  request: WorkRequest,
  {
    follow,
    waitMs,
    again,
    id = context.plannedExecutionId,
  }: Pick<RunOptions, 'again' | 'id'> & { follow: boolean; waitMs?: number | undefined },
): Promise<Dispatched> {
  const { services, owner, requestId, credential } = context;
  // Check this before taking a slot: a failure must not leave a pending promise.
  const webhookUrl = webhookOf(services, request) ?? again?.webhook_url ?? null;
  return services.dispatcher.dispatch({
    ...work,
    ...(follow && { admitted: holdPlace(context, 'waits') }),
    id,
    apiKeyId: credential.key?.id ?? null,
    owner,
    requestId,
    metadata: request.metadata ?? {},
    webhookUrl,
    retryOf: again?.id ?? null,
    follow,
    waitMs,
  });
}

/** Returns the caller to plan a request's work for. */
export function requesterOf({ owner, agent, credential, requestId }: ScopedContext): Requester {
  return { owner, agent, apiKeyId: credential.key?.id ?? null, requestId, path: 'body' };
}

/**
 * Returns the webhook address of a request.
 * @throws {ChorusError} url_not_allowed
 */
export function webhookOf(
  services: Pick<Services, 'outbound'>,
  { webhook_url: url = null }: { webhook_url?: string | null | undefined },
): string | null {
  if (url !== null) checkAddress(services, url, 'body.webhook_url');
  return url;
}

export interface DeliveryOptions {
  stream: boolean;
  sound?: boolean;
  preference: Preference;
}

/** Returns whether the response needs events, so that a reader must open before the job is queued. */
export const follows = ({ stream, sound = false, preference }: DeliveryOptions) =>
  stream || (sound && !preference.respondAsync) || (!preference.respondAsync && preference.waitMs > 0);

/** Answers with an execution the way the caller chose: its events, audio, result, or current state. */
export async function deliver(
  context: ScopedContext,
  dispatched: { record: ExecutionRecord; reader: EventReader | null },
  { stream, sound = false, preference }: DeliveryOptions,
): Promise<undefined> {
  const { response } = context;
  const { record, reader } = dispatched;
  context.executionId = record.id;
  const format = soundOf(record);
  dropInput(record);
  if (preference.applied !== null && !stream) response.setHeader('Preference-Applied', preference.applied);
  if (stream && reader) {
    await streamEvents(context, record, reader, 0);
    return;
  }
  if (sound && reader && format) {
    await streamSound(context, record, reader, { type: SPEECH_TYPES[format].stream });
    return;
  }
  const current = reader ? await waitForEnd(context, record, reader, preference.waitMs) : record;
  if (response.destroyed) return;
  if (isOpenAiStyle(current) && (current.status === 'failed' || current.status === 'cancelled')) {
    answerFailure(context, current);
    return;
  }
  sendJson(response, 200, await presentOne(context, current));
}

/** Answers with the execution of an earlier request, as if this one had started it. */
export async function joinExecution(context: ScopedContext, id: string, stream: boolean): Promise<undefined> {
  const { services, owner, request } = context;
  const record = await services.database.executions.get(owner, id);
  if (record === null) throw unknownRecord('job');
  const sound = soundOf(record) !== undefined && wantsSound(context, stream);
  const options = { stream, sound, preference: readPreference(request.headers.prefer) };
  const followed = stream || sound || (follows(options) && !isTerminal(record.status));
  if (followed) await holdPlace(context, 'waits');
  return deliver(context, { record, reader: followed ? await services.hub.open(id, 0) : null }, options);
}

/**
 * Waits for an execution to end or to need decisions, until the client disconnects or the time is up. Returns the
 * latest record.
 * @param throughDecisions waits on while it needs decisions
 */
export async function waitForEnd(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  waitMs: number,
  throughDecisions = false,
): Promise<ExecutionRecord> {
  const { services, owner } = context;
  const { database, eventLog } = services;
  const close = () => reader.close();
  const timer = setTimeout(close, waitMs);
  const connected = onDisconnect(context, close);
  try {
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: false });
      if (step === null) break;
      if ('ended' in step) return step.ended;
      const asks = step.running.some(({ event }) => event.type === 'execution.requires_action');
      if (!asks || throughDecisions) continue;
      // An earlier wait may be over.
      const waiting = await database.executions.get(owner, record.id);
      if (waiting?.status === 'requires_action') return waiting;
    }
    return (await database.executions.get(owner, record.id)) ?? record;
  } finally {
    clearTimeout(timer);
    connected();
    reader.close();
  }
}

/** Returns whether a request prefers the audio of a voice turn to the execution. */
export function wantsSound(context: ScopedContext, stream: boolean): boolean {
  return !stream && acceptedSound(context.request.headers.accept) !== null;
}

/** Returns the format of an execution's audio, if it has any. */
export const soundOf = ({ kind, input }: ExecutionRecord): SpeechFormat | undefined => findKind(kind)?.soundOf?.(input);
