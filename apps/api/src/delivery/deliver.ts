import { JOBS, type SpeechFormat } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { presentExecution } from '@chorus/executions';
import { sendJson } from '../http/answer.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { acceptedSound } from './accepted-sound.ts';
import { answerFailure } from './answer-failure.ts';
import { forgetInput, isOpenAiStyle } from './openai-style.ts';
import type { Preference } from './prefer.ts';
import { streamEvents } from './stream.ts';
import { streamSound } from './stream-sound.ts';
import { waitForEnd } from './wait.ts';

export interface DeliveryOptions {
  stream: boolean;
  /** Whether the answer is the sound of a voice turn. */
  sound?: boolean;
  preference: Preference;
}

/** Whether a delivery needs the events, so that a reader must be open before the job is queued. */
export const follows = ({ stream, sound = false, preference }: DeliveryOptions) =>
  stream || (sound && !preference.respondAsync) || (!preference.respondAsync && preference.waitMs > 0);

/** Answers with an execution the way the caller chose: its events, its end, or the execution as it stands. */
export async function deliver(
  context: ScopedContext,
  dispatched: { record: ExecutionRecord; reader: EventReader | null },
  { stream, sound = false, preference }: DeliveryOptions,
): Promise<undefined> {
  const { response } = context;
  const { record, reader } = dispatched;
  context.executionId = record.id;
  const format = voiceFormat(record);
  forgetInput(record);
  if (preference.applied !== null && !stream) response.setHeader('Preference-Applied', preference.applied);
  if (stream && reader) {
    await streamEvents(context, record, reader, 0);
    return;
  }
  if (sound && reader && format) {
    await streamSound(context, record, reader, format);
    return;
  }
  const current = reader ? await waitForEnd(context, record, reader, preference.waitMs) : record;
  if (response.destroyed) return;
  if (isOpenAiStyle(current) && (current.status === 'failed' || current.status === 'cancelled')) {
    answerFailure(response, current);
    return;
  }
  sendJson(response, 200, presentExecution(current, context.addresses));
}

/** Whether a request would rather have the sound of a voice turn than tell of it. */
export function wantsSound(context: ScopedContext, stream: boolean): boolean {
  return !stream && acceptedSound(context.request.headers.accept) !== null;
}

/** The format of a voice turn's sound; null for any other execution. */
function voiceFormat({ kind, input }: ExecutionRecord): SpeechFormat | null {
  return kind === 'voice.turn' ? JOBS['voice.turn'].input.parse(input).speech.format : null;
}
