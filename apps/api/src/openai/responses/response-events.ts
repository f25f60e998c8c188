import {
  isMcpItem,
  isShown,
  type LogEvent,
  outputItemId,
  presentOutputItem,
  presentResponse,
  type ResponseOptions,
  type RunningEvent,
  toOpenAiError,
  typeOf,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { errorOf } from '../../responses/openai-style.ts';
import { begunCall, ItemEvents, type ItemPlace, type ShownItem, type WrittenItem } from './item-events.ts';
import { McpItemEvents } from './mcp-item-events.ts';

/** An event of the standard's stream. */
export interface ResponseEvent {
  type: string;
  sequence_number: number;
  [field: string]: unknown;
}

type Delta = Extract<RunningEvent, { type: `${'text' | 'reasoning' | 'refusal' | 'tool_call'}.delta` }>;

const TERMINAL: Readonly<Record<string, string>> = { completed: 'completed', failed: 'failed' };

/**
 * Translates the log of an execution to the standard's events. The same log gives the same events with the same
 * numbers, so a stream can resume on any process: it replays the log from its start, and skips what the client has.
 *
 * Items that the model writes end when the response does, since a provider may continue any of them until then. Those
 * of MCP servers end with their calls. An answer that starts over leaves its items incomplete; the next ones have other
 * ids.
 */
export class ResponseEvents {
  readonly #record: ExecutionRecord;
  readonly #options: ResponseOptions;
  #events: ResponseEvent[] = [];
  #number = 0;
  #hasStarted = false;
  #outputs = 0;
  #resets = 0;
  /** By the log's index. */
  readonly #open = new Map<number, ItemEvents>();
  readonly #served = new Map<number, McpItemEvents>();

  /** @param record with the model that was asked for */
  constructor(record: ExecutionRecord, options: ResponseOptions) {
    this.#record = record;
    this.#options = options;
  }

  /** Returns the initial events. */
  begin(): ResponseEvent[] {
    if (this.#options.background) {
      this.#pushState('created', 'queued');
      this.#pushState('queued', 'queued');
    } else {
      this.#pushState('created', 'running');
      this.#start();
    }
    return this.#take();
  }

  /** Translates an event of the log, except for the last one. */
  add(event: LogEvent): ResponseEvent[] {
    // It is queued until its provider takes the call.
    if (event.type !== 'execution.waiting') this.#start();
    switch (event.type) {
      case 'text.delta':
        this.#itemOf(event).add(event.delta, event.logprobs);
        break;
      case 'reasoning.delta':
      case 'refusal.delta':
        this.#itemOf(event).add(event.delta);
        break;
      case 'tool_call.delta':
        this.#itemOf(event).add(event.arguments_delta);
        break;
      case 'output.item':
        if (isShown(event.item)) this.#addItem(event.index, event.item);
        break;
      case 'text.reset':
        for (const item of [...this.#open.values(), ...this.#served.values()]) item.abandon();
        this.#open.clear();
        this.#served.clear();
        this.#resets += 1;
        break;
      default:
    }
    return this.#take();
  }

  /** Ends the items and the response. Also shows items that were missing in the log. */
  end(ended: ExecutionRecord): ResponseEvent[] {
    const response = presentResponse({ ...ended, resets: this.#resets }, this.#options);
    if (ended.status !== 'cancelled') this.#start();
    const final = new Map(response.output.map((item) => [item.id, item]));
    for (const item of [...this.#open.values(), ...this.#served.values()]) {
      const whole = final.get(item.id);
      if (whole) item.end(whole);
      else item.abandon();
      final.delete(item.id);
    }
    this.#open.clear();
    this.#served.clear();
    const shown = ended.output.flatMap((item, index) => (isShown(item) ? [{ item, index }] : []));
    for (const [at, whole] of response.output.entries()) {
      const source = shown[at];
      if (source && final.has(whole.id)) this.#itemAt(source.index, source.item).end(whole);
    }
    if (ended.status === 'failed') this.#push('error', { error: toOpenAiError(errorOf(ended)) });
    this.#push(`response.${TERMINAL[response.status] ?? 'incomplete'}`, { response });
    return this.#take();
  }

  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#pushState('in_progress', 'running');
  }

  #pushState(name: string, status: 'queued' | 'running'): void {
    const source = { ...this.#record, status, output: [], error: null, finish_reason: null, finished_at: null };
    this.#push(`response.${name}`, { response: presentResponse(source, this.#options) });
  }

  #itemOf(event: Delta): ItemEvents {
    for (const [index, item] of this.#open) if (index !== event.index) item.pause();
    return this.#openItem(event.index, beginning(event));
  }

  #addItem(index: number, item: ShownItem): void {
    if (isMcpItem(item)) {
      for (const written of this.#open.values()) written.pause();
      this.#serve(index, item).update(item);
    } else this.#openItem(index, item).complete(textIn(item));
  }

  #itemAt(index: number, item: ShownItem): ItemEvents | McpItemEvents {
    return isMcpItem(item) ? this.#serve(index, item) : this.#openItem(index, item);
  }

  #openItem(index: number, item: WrittenItem): ItemEvents {
    const found = this.#open.get(index);
    if (found) return found;
    const opened = new ItemEvents(this.#place(index, item), item);
    this.#open.set(index, opened);
    return opened;
  }

  #serve(index: number, item: ShownItem): McpItemEvents {
    const found = this.#served.get(index);
    if (found) return found;
    const opened = new McpItemEvents(this.#place(index, item), item);
    this.#served.set(index, opened);
    return opened;
  }

  #place(index: number, item: ShownItem): ItemPlace {
    const resets = this.#resets;
    const id = outputItemId(this.#record.id, typeOf(item, this.#options), index, resets);
    const options = this.#options;
    const place = {
      id,
      outputIndex: this.#outputs,
      push: (type: string, fields: object) => this.#push(type, fields),
      present: (shown: ShownItem, status: 'in_progress' | 'incomplete') =>
        presentOutputItem(shown, { id, status, resets, options }),
    };
    this.#outputs += 1;
    return place;
  }

  #push(type: string, fields: object): void {
    this.#events.push({ type, sequence_number: this.#number, ...fields });
    this.#number += 1;
  }

  #take(): ResponseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** Returns the item that a delta starts. */
function beginning(event: Delta): WrittenItem {
  switch (event.type) {
    case 'text.delta':
      return { type: 'text', text: '' };
    case 'reasoning.delta':
      return { type: 'reasoning', text: '' };
    case 'refusal.delta':
      return { type: 'refusal', refusal: '' };
    case 'tool_call.delta':
      return begunCall(event);
    default:
      throw event satisfies never;
  }
}

function textIn(item: WrittenItem): string {
  switch (item.type) {
    case 'refusal':
      return item.refusal;
    case 'tool_call':
      return item.arguments;
    default:
      return item.text;
  }
}
