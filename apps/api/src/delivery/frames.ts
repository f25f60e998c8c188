import type { LogEvent } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { StoredEvent } from '@chorus/events';
import { type Addresses, createdSeconds, presentExecution, presentItem } from '@chorus/executions';
import { errorOf, isOpenAiStyle } from './openai-style.ts';

export const DONE = 'data: [DONE]\n\n';

/** The choice of a frame that adds nothing to the answer. OpenAI's clients read `choices[0]` of every chunk. */
const NO_DELTA = '{"index":0,"delta":{},"finish_reason":null}';

/** Keeps proxies from closing a quiet connection; clients ignore it. */
export const KEEP_ALIVE = ': keep-alive\n\n';

/**
 * Writes the `text/event-stream` frames of one execution. Each has `type`, `seq` and `execution_id`. Those of a chat turn are also
 * `chat.completion.chunk`s with exactly one choice, so that OpenAI's clients read the same stream.
 */
export class FrameWriter {
  readonly #executionId: string;
  /** The fields that make a frame a chunk, up to `choices`; empty for other kinds. */
  readonly #chunk: string;
  readonly #addresses: Addresses;
  #roleSent = false;

  constructor(record: ExecutionRecord, addresses: Addresses) {
    this.#addresses = addresses;
    this.#executionId = record.id;
    this.#chunk =
      record.kind === 'chat.completion'
        ? `"id":"${record.id}","object":"chat.completion.chunk","created":${createdSeconds(record)},"model":${JSON.stringify(record.model)},`
        : '';
  }

  queued(): string {
    return this.#frame(1, '"execution.queued"', NO_DELTA, '');
  }

  /** A frame of an event that is not the last. */
  running({ seq, event, partial }: StoredEvent): string {
    const frame = this.#runningFrame(seq, event);
    // Without an `id:` line the client keeps the last number that it can come back by.
    return partial ? frame.slice(frame.indexOf('\n') + 1) : frame;
  }

  #runningFrame(seq: number, event: LogEvent): string {
    if (event.type === 'text.delta') {
      const delta = JSON.stringify(event.delta);
      const role = this.#roleSent ? '' : '"role":"assistant",';
      this.#roleSent = true;
      const choice = `{"index":0,"delta":{${role}"content":${delta}},"finish_reason":null}`;
      return this.#frame(seq, '"text.delta"', choice, `,"index":${event.index},"delta":${delta}`);
    }
    const shown =
      event.type === 'output.item' ? { ...event, item: presentItem(event.item, this.#addresses.assetUrls) } : event;
    return this.#frame(seq, JSON.stringify(event.type), NO_DELTA, rest(shown));
  }

  /** The last frame, with the whole execution, and the end mark. */
  terminal(seq: number, record: ExecutionRecord): string {
    const execution = presentExecution(record, this.#addresses);
    let fields = `,"execution":${JSON.stringify(execution)}`;
    let choice = NO_DELTA;
    if (this.#chunk !== '') {
      fields += `,"usage":${JSON.stringify(execution.usage)}`;
      if (record.status === 'succeeded') {
        choice = `{"index":0,"delta":{},"finish_reason":${JSON.stringify(record.finish_reason ?? 'stop')}}`;
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

/** An event's own fields, as JSON that continues an object. */
function rest(event: object & Pick<LogEvent, 'type'>): string {
  const { type: _type, ...fields } = event;
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}
