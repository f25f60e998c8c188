import { findKind, isAnswerDelta, type LogEvent, toChunkDelta, toLastDelta } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader, StoredEvent } from '@chorus/events';
import { type Addresses, follow, presentExecution, presentItem } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { beginEventStream, DONE, drained, onDisconnect } from './event-stream.ts';
import { errorOf, isOpenAiStyle } from './openai-style.ts';

/** How long the first frame waits for a text to share its write. The frame shows nothing. */
const QUEUED_DELAY_MS = 20;

/**
 * Answers with an execution's events after number `after` as `text/event-stream`. Ends after the terminal
 * event, when the client disconnects, or when the process stops. The work continues, and clients can resume
 * with their last id.
 *
 * The log holds back unread events, so a stream buffers only what the socket has not sent.
 */
export async function streamEvents(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  after: number,
): Promise<void> {
  const { response, services, owner } = context;
  const frames = new FrameWriter(record, context.addresses);
  const { database, eventLog } = services;
  const connected = onDisconnect(context, () => reader.close());
  const quiet = beginEventStream(response);
  let isQueuedDue = after < 1;
  const queued = setTimeout(() => {
    if (!isQueuedDue || record.finished_at !== null) return;
    isQueuedDue = false;
    response.write(frames.queued());
  }, QUEUED_DELAY_MS);
  let firstText = after === 0;
  let answerGiven = false;
  try {
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: true });
      if (step === null) break;
      // The client fell behind a trimmed log. OpenAI's clients ignore resets and would append the answer again.
      if (answerGiven && isOpenAiStyle(record) && step.running.some(({ event }) => event.type === 'text.reset')) {
        return void response.destroy();
      }
      let text = '';
      // An expired log has only the terminal event.
      if (isQueuedDue && (step.running.length > 0 || ('ended' in step && step.seq !== null))) {
        text += frames.queued();
        isQueuedDue = false;
      }
      for (const event of step.running) text += frames.running(event);
      answerGiven ||= step.running.some(({ event }) => isAnswerDelta(event));
      if (firstText && answerGiven) {
        firstText = false;
        services.metrics.observeFirstToken(record.kind, (performance.now() - context.startedAt) / 1_000);
      }
      if ('ended' in step) {
        // A client that has the terminal event needs only the end mark.
        const seq = step.seq ?? (await seqOfEnd(context, record.id, after, reader.seq));
        text += seq === null ? DONE : frames.terminal(seq, step.ended);
        response.end(text);
        return;
      }
      if (!response.write(text)) await drained(response);
    }
    response.end();
  } finally {
    clearTimeout(queued);
    quiet();
    connected();
    reader.close();
  }
}

/**
 * Returns the number of a terminal event that is missing from the log: one after the client's last event. Null:
 * the client already has it.
 */
async function seqOfEnd(
  context: ScopedContext,
  executionId: string,
  after: number,
  given: number,
): Promise<number | null> {
  const log = await context.services.eventLog.peek(executionId).catch(() => null);
  if (log?.ended && after === log.seq) return null;
  return Math.max(given, log?.seq ?? 1) + 1;
}

/** An empty choice: OpenAI's clients read `choices[0]` of every chunk. */
const NO_DELTA = '{"index":0,"delta":{},"finish_reason":null}';

/**
 * Writes the `text/event-stream` frames of an execution. Each has `type`, `seq` and `execution_id`. Kinds in
 * OpenAI's style add a chunk with exactly one choice, so that OpenAI's clients can read the same stream.
 */
class FrameWriter {
  readonly #executionId: string;
  /** Fields that make a frame a chunk, up to `choices`. Empty for other kinds. */
  readonly #chunk: string;
  readonly #addresses: Addresses;
  #roleSent = false;

  constructor(record: ExecutionRecord, addresses: Addresses) {
    this.#addresses = addresses;
    this.#executionId = record.id;
    const { chunk } = findKind(record.kind)?.openAi ?? {};
    const created = Math.floor(record.created_at.getTime() / 1_000);
    this.#chunk = chunk
      ? `"id":"${record.id}","object":"${chunk}","created":${created},"model":${JSON.stringify(record.model)},`
      : '';
  }

  queued(): string {
    return this.#frame(1, '"execution.queued"', NO_DELTA, '');
  }

  /** Formats an event before the terminal one. */
  running({ seq, event, partial }: StoredEvent): string {
    const frame = this.#runningFrame(seq, event);
    // Without an `id:` line, the client keeps the last number that it can resume from.
    return partial ? frame.slice(frame.indexOf('\n') + 1) : frame;
  }

  #runningFrame(seq: number, event: LogEvent): string {
    if (event.type === 'text.delta' && event.logprobs === undefined) {
      // Most frames: written without an object in between.
      const delta = JSON.stringify(event.delta);
      const choice = `{"index":0,"delta":{${this.#role()}"content":${delta}},"finish_reason":null}`;
      return this.#frame(seq, '"text.delta"', choice, `,"index":${event.index},"delta":${delta}`);
    }
    if (isAnswerDelta(event)) {
      const delta = `{${this.#role()}${JSON.stringify(toChunkDelta(event)).slice(1)}`;
      const found = event.type === 'text.delta' ? { content: event.logprobs, refusal: null } : null;
      const logprobs = found === null ? '' : `,"logprobs":${JSON.stringify(found)}`;
      const choice = `{"index":0,"delta":${delta},"finish_reason":null${logprobs}}`;
      return this.#frame(seq, JSON.stringify(event.type), choice, rest(event));
    }
    const shown =
      event.type === 'output.item' ? { ...event, item: presentItem(event.item, this.#addresses.assetUrls) } : event;
    return this.#frame(seq, JSON.stringify(event.type), NO_DELTA, rest(shown));
  }

  /** Returns the role, which the first delta has. */
  #role(): string {
    if (this.#roleSent) return '';
    this.#roleSent = true;
    return '"role":"assistant",';
  }

  /** Formats the terminal frame, with the whole execution and the end mark. */
  terminal(seq: number, record: ExecutionRecord): string {
    const execution = presentExecution(record, this.#addresses);
    let fields = `,"execution":${JSON.stringify(execution)}`;
    let choice = NO_DELTA;
    if (this.#chunk !== '') {
      fields += `,"usage":${JSON.stringify(execution.usage)}`;
      if (record.status === 'succeeded') {
        const delta = JSON.stringify(toLastDelta(execution.output));
        choice = `{"index":0,"delta":${delta},"finish_reason":${JSON.stringify(record.finish_reason ?? 'stop')}}`;
      } else if (isOpenAiStyle(record)) {
        fields += `,"error":${JSON.stringify(errorOf(record))}`;
      }
    }
    return this.#frame(seq, `"execution.${record.status}"`, choice, fields) + DONE;
  }

  #frame(seq: number, type: string, choice: string, fields: string): string {
    const chunk = this.#chunk === '' ? '' : `${this.#chunk}"choices":[${choice}],`;
    return `id: ${seq}\ndata: {${chunk}"type":${type},"seq":${seq},"execution_id":"${this.#executionId}"${fields}}\n\n`;
  }
}

/** Returns an event's fields as the rest of a JSON object. */
function rest(event: object & Pick<LogEvent, 'type'>): string {
  const { type: _type, ...fields } = event;
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}
