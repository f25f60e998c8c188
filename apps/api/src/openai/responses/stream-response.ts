import { isAnswerDelta, type LogEvent } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader, StoredEvent } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../../http/request-context.ts';
import { HEADERS_WITHIN_MS } from '../../protocols/stream-answer.ts';
import { beginEventStream, DONE, drained, onDisconnect, waitingComment } from '../../responses/event-stream.ts';
import { answerFailure } from '../../responses/openai-style.ts';
import { type ResponseEvent, ResponseEvents } from './response-events.ts';
import { optionsOf } from './response-record.ts';

/** Resets after which the log lacks events that clients may have received. */
const LOSSES = ['log_trimmed', 'log_lost'];

export interface StreamOptions {
  /** Number of the last event that the client has. Absent: none. */
  after?: number | undefined;
  /**
   * Whether a failure before the first part of the answer is answered with its status, as OpenAI does. The headers
   * then wait for that part, for a few seconds at most.
   */
  mayRefuse?: boolean;
}

/**
 * Answers with a response's events as `text/event-stream`. Ends after the last event, when the client disconnects,
 * or when the process stops. The work continues.
 * @param reader starts with the first event
 */
export async function streamResponse(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  { after = -1, mayRefuse = false }: StreamOptions = {},
): Promise<void> {
  const { response, services, owner } = context;
  const { database, eventLog } = services;
  const { model, options } = optionsOf(record);
  const events = new ResponseEvents({ ...record, model }, options);
  const frames = new FrameWriter(after);
  const connected = onDisconnect(context, () => reader.close());
  let quiet: (() => void) | null = null;
  /** Frames before the headers. */
  let held = frames.format(events.begin());
  const begin = () => {
    if (quiet !== null) return;
    quiet = beginEventStream(response);
    response.write(held);
    held = '';
  };
  const late = setTimeout(begin, HEADERS_WITHIN_MS);
  let isFirst = after < 0;
  try {
    if (!mayRefuse) begin();
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: true });
      if (response.destroyed) return;
      if (step === null) break;
      const isGone = 'ended' in step && step.seq === null && after >= 0;
      if (isGone || step.running.some(isLoss)) {
        begin();
        return void response.end(frames.breakOff() + DONE);
      }
      const shows = step.running.some(({ event }) => isAnswerDelta(event) || isCall(event));
      if (isFirst && shows) {
        isFirst = false;
        services.metrics.observeFirstToken(record.kind, (performance.now() - context.startedAt) / 1_000);
      }
      const text = step.running.map(({ event }) => frames.format(events.add(event))).join('');
      if ('ended' in step) {
        const { ended } = step;
        if (quiet === null && !shows && ended.status !== 'succeeded') return answerFailure(context, ended);
        begin();
        return void response.end(text + frames.format(events.end(ended)) + DONE);
      }
      if (shows) begin();
      if (quiet === null) held += text;
      else {
        const sent = text || waitingComment(step.running) || '';
        if (sent !== '' && !response.write(sent)) await drained(response);
      }
    }
    begin();
    response.end();
  } finally {
    clearTimeout(late);
    (quiet as (() => void) | null)?.();
    connected();
    reader.close();
  }
}

function isLoss({ event, partial }: StoredEvent): boolean {
  return partial === true || (event.type === 'text.reset' && LOSSES.includes(event.reason));
}

function isCall(event: LogEvent): boolean {
  return event.type === 'output.item' && event.item.type === 'tool_call';
}

class FrameWriter {
  /** Number of the last event that the client has. */
  #last: number;

  constructor(after: number) {
    this.#last = after;
  }

  /** Formats the events that the client does not have. */
  format(events: readonly ResponseEvent[]): string {
    let text = '';
    for (const event of events) {
      if (event.sequence_number <= this.#last) continue;
      this.#last = event.sequence_number;
      text += frameOf(event);
    }
    return text;
  }

  /** Tells the client that the numbers of the further events are unknown. */
  breakOff(): string {
    const message = 'Some events are no longer available. Retrieve the response without `stream`.';
    const error = { type: 'server_error', code: 'events_not_available', message, param: null };
    return frameOf({ type: 'error', sequence_number: this.#last + 1, error });
  }
}

function frameOf(event: ResponseEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
