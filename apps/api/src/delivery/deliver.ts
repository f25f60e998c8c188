import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { presentExecution } from '@chorus/executions';
import { sendJson } from '../http/answer.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { errorOf, forgetInput, isOpenAiStyle } from './openai-style.ts';
import type { Preference } from './prefer.ts';
import { streamEvents } from './stream.ts';
import { waitForEnd } from './wait.ts';

export interface DeliveryOptions {
  stream: boolean;
  preference: Preference;
}

/** Whether a delivery needs the events, so that a reader must be open before the job is queued. */
export const follows = ({ stream, preference }: DeliveryOptions) =>
  stream || (!preference.respondAsync && preference.waitMs > 0);

/** Answers with an execution the way the caller chose: its events, its end, or the execution as it stands. */
export async function deliver(
  context: ScopedContext,
  dispatched: { record: ExecutionRecord; reader: EventReader | null },
  { stream, preference }: DeliveryOptions,
): Promise<undefined> {
  const { response, services } = context;
  const { record, reader } = dispatched;
  context.executionId = record.id;
  forgetInput(record);
  if (preference.applied !== null && !stream) response.setHeader('Preference-Applied', preference.applied);
  if (stream && reader) {
    await streamEvents(context, record, reader, 0);
    return;
  }
  const current = reader ? await waitForEnd(context, record, reader, preference.waitMs) : record;
  if (response.destroyed) return;
  if (isOpenAiStyle(current) && (current.status === 'failed' || current.status === 'cancelled')) {
    // These clients look at the status alone; and sending the same again by itself would run it twice.
    response.setHeader('x-should-retry', 'false');
    const error = errorOf(current);
    if (error.status === 409 || error.status === 429 || error.status === 503) response.setHeader('Retry-After', 1);
    sendJson(response, error.status, { error: { ...error, execution_id: current.id } });
    return;
  }
  sendJson(response, 200, presentExecution(current, services.addresses));
}
