import { belongsToText, isAnswerDelta, type LogEvent } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { beginEventStream, drained, onDisconnect, waitingComment } from '../responses/event-stream.ts';
import { answerFailure } from '../responses/openai-style.ts';
import { answerUnfinished } from './run-work.ts';

/** Writes an execution's events in the form of an endpoint. */
export interface Frames {
  /** Formats an event before the terminal one. Empty: nothing to send. */
  running(event: LogEvent): string;
  /** Formats the end of the stream. */
  terminal(record: ExecutionRecord): string;
  /** Returns what a stream sends that has nothing to show yet, or waits for its provider. Default: a comment. */
  waiting?(): string;
  /** Sent while the stream is idle. Default: a comment. */
  readonly keepAlive?: string;
}

/**
 * How long a stream waits for the first frame before it sends the headers. A failure until then is answered with
 * its status, as OpenAI does.
 */
export const HEADERS_WITHIN_MS = 5_000;

/** Streams an answer. Text that was sent cannot be taken back, so the stream is closed instead. */
export async function streamAnswer(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  frames: Frames,
): Promise<void> {
  const { response, services, owner } = context;
  const { database, eventLog } = services;
  const connected = onDisconnect(context, () => reader.close());
  let quiet: (() => void) | null = null;
  const begin = () => {
    quiet ??= beginEventStream(response, frames.keepAlive);
  };
  let standing = ': queued\n\n';
  const pass = () => void response.write(frames.waiting?.() ?? standing);
  const late = setTimeout(() => {
    begin();
    pass();
  }, HEADERS_WITHIN_MS);
  let firstToken = false;
  let answerGiven = false;
  try {
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: true });
      if (response.destroyed) return;
      // This process stops, or the execution was deleted.
      if (step === null) return quiet === null ? answerUnfinished(context, record) : void response.destroy();
      const events = step.running.map(({ event }) => event);
      const reset = events.findLastIndex(({ type }) => type === 'text.reset');
      if (answerGiven && reset !== -1) return void response.destroy();
      // Text before the reset was not sent yet.
      const valid = events.filter((event, index) => index > reset || !isDropped(event));
      const text = valid.map((event) => frames.running(event)).join('');
      if (!firstToken && valid.some(isAnswerDelta)) {
        firstToken = true;
        services.metrics.observeFirstToken(record.kind, (performance.now() - context.startedAt) / 1_000);
      }
      answerGiven ||= text !== '';
      if ('ended' in step) {
        if (quiet === null && text === '' && step.ended.status !== 'succeeded')
          return answerFailure(context, step.ended);
        begin();
        response.end(text + frames.terminal(step.ended));
        return;
      }
      if (text === '') {
        const comment = waitingComment(step.running);
        // Until the headers are sent, a failure can still be answered with its status.
        if (comment !== null) standing = comment;
        if (comment !== null && quiet !== null) pass();
        continue;
      }
      clearTimeout(late);
      begin();
      if (!response.write(text)) await drained(response);
    }
  } finally {
    clearTimeout(late);
    (quiet as (() => void) | null)?.();
    connected();
    reader.close();
  }
}

/** Returns whether a later reset takes the event back. */
function isDropped(event: LogEvent): boolean {
  return isAnswerDelta(event) || (event.type === 'output.item' && belongsToText(event.item));
}
