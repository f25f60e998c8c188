import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { drained, KEEP_ALIVE_MS, writeIfIdle } from './event-stream.ts';
import { DONE, FrameWriter, KEEP_ALIVE } from './frames.ts';
import { isOpenAiStyle } from './openai-style.ts';

/**
 * Answers with an execution's events as `text/event-stream`, from after `after` (0: from the beginning). Ends after the terminal event, when the
 * client goes, or when the process stops; the work goes on in the latter cases, and the client comes back with the last id it has.
 *
 * What a slow client has not taken stays in the log: between two writes nothing is kept but what the socket has not sent.
 */
export async function streamEvents(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  after: number,
): Promise<void> {
  const { response, services, owner } = context;
  const frames = new FrameWriter(record, context.addresses);
  const close = () => reader.close();
  response.once('close', close);
  const closed = services.streams.open(close);
  if (response.destroyed) close(); // the client went before this: nothing will tell of it again
  const keepAlive = setInterval(() => writeIfIdle(response, KEEP_ALIVE), KEEP_ALIVE_MS);
  let untold = after < 1;
  let firstText = after === 0;
  let textGiven = false;
  try {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    if (untold && record.finished_at === null) {
      response.write(frames.queued());
      untold = false;
    }
    for (;;) {
      const step = await follow({
        database: services.database,
        eventLog: services.eventLog,
        owner,
        record,
        reader,
        events: true,
      });
      if (step === null) break;
      // A client in OpenAI's form would take the text after a reset for more of the same. It fell behind a trimmed log.
      if (textGiven && isOpenAiStyle(record) && step.running.some(({ event }) => event.type === 'text.reset')) {
        return void response.destroy();
      }
      let text = '';
      // A log that is gone tells of its end alone.
      if (untold && (step.running.length > 0 || ('ended' in step && step.seq !== null))) {
        text += frames.queued();
        untold = false;
      }
      for (const event of step.running) text += frames.running(event);
      textGiven ||= step.running.some(({ event }) => event.type === 'text.delta');
      if (firstText && textGiven) {
        firstText = false;
        services.metrics.observeFirstToken(record.kind, (performance.now() - context.startedAt) / 1_000);
      }
      if ('ended' in step) {
        // A client that has the end already only lacks the end mark.
        const seq = step.seq ?? (await seqOfEnd(context, record.id, after, reader.seq));
        text += seq === null ? DONE : frames.terminal(seq, step.ended);
        response.end(text);
        return;
      }
      if (!response.write(text)) await drained(response);
    }
    response.end();
  } finally {
    clearInterval(keepAlive);
    response.off('close', close);
    closed();
    reader.close();
  }
}

/**
 * The number of a terminal event that the log does not give out (it is gone, or the end is stored and not told yet): one after the last that the
 * client has been given; null when the client has come with the terminal event's own.
 */
async function seqOfEnd(
  context: ScopedContext,
  executionId: string,
  after: number,
  given: number,
): Promise<number | null> {
  const log = await context.services.eventLog.peek(executionId).catch(() => null);
  if (log?.ended && after >= log.seq) return null;
  return Math.max(given, log?.seq ?? 1) + 1;
}
