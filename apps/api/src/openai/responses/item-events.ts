import {
  presentLogprob,
  type presentOutputItem,
  type ResponseItem,
  type ResponseLogprob,
  type TokenLogprob,
  type ToolCallItem,
} from '@chorus/contract';

export type ShownItem = Parameters<typeof presentOutputItem>[0];
/** An item that the model writes piece by piece. */
export type WrittenItem = Exclude<ShownItem, { type: 'mcp_list_tools' }>;
export type Push = (type: string, fields: object) => void;

export interface ItemPlace {
  id: string;
  outputIndex: number;
  push: Push;
  /** Returns the item in the standard's form. */
  present(item: ShownItem, status: 'in_progress' | 'incomplete'): ResponseItem;
}

/** Sends the events of one output item, from `response.output_item.added` to `response.output_item.done`. */
export class ItemEvents {
  readonly #place: ItemPlace;
  /** The item without its text. */
  readonly #empty: WrittenItem;
  /** Whether the item is a call whose arguments are not shown piece by piece. */
  readonly #isWhole: boolean;
  readonly #logprobs: TokenLogprob[] = [];
  #text = '';
  /** Parts of a reasoning's summary so far. */
  #parts = 0;
  /** Text of the summary's open part. Null: none is open. */
  #part: string | null = null;

  /** @param item without its text, which follows */
  constructor(place: ItemPlace, item: WrittenItem) {
    this.#place = place;
    this.#empty = withText(item, '');
    const shown = place.present(this.#empty, 'in_progress');
    this.#isWhole = shown.type === 'custom_tool_call' || shown.type === 'tool_search_call';
    const bare = shown.type === 'message' ? { ...shown, content: [] } : shown;
    place.push('response.output_item.added', { output_index: place.outputIndex, item: bare });
    if (shown.type === 'message') this.#push('content_part.added', { content_index: 0, part: shown.content[0] });
  }

  get id(): string {
    return this.#place.id;
  }

  add(delta: string, logprobs: TokenLogprob[] = []): void {
    if (delta === '' && logprobs.length === 0) return;
    this.#text += delta;
    switch (this.#empty.type) {
      case 'text':
        for (const logprob of logprobs) this.#logprobs.push(logprob);
        this.#push('output_text.delta', { content_index: 0, delta, logprobs: logprobs.map(presentLogprob) });
        return;
      case 'refusal':
        this.#push('refusal.delta', { content_index: 0, delta });
        return;
      case 'tool_call':
        if (!this.#isWhole) this.#push('function_call_arguments.delta', { delta });
        return;
      case 'reasoning':
        this.#addSummary(delta);
        return;
      default:
        throw this.#empty satisfies never;
    }
  }

  /** Ends the open part of a summary, so that clients show the thought as finished. More may follow. */
  pause(): void {
    if (this.#part === null) return;
    const summary_index = this.#parts - 1;
    this.#push('reasoning_summary_text.done', { summary_index, text: this.#part });
    this.#push('reasoning_summary_part.done', { summary_index, part: { type: 'summary_text', text: this.#part } });
    this.#part = null;
  }

  /** Adds what the deltas lacked. */
  complete(text: string): void {
    if (text.startsWith(this.#text)) this.add(text.slice(this.#text.length));
  }

  /** Ends the item. */
  end(item: ResponseItem): void {
    this.complete(textOf(item));
    this.pause();
    if (item.type === 'message') {
      const [part] = item.content;
      if (part?.type === 'output_text') this.#pushTextDone(part);
      else if (part) this.#push('refusal.done', { content_index: 0, refusal: part.refusal });
      this.#push('content_part.done', { content_index: 0, part });
    } else if (item.type === 'function_call') {
      const { name, arguments: text } = item;
      this.#push('function_call_arguments.done', { name, arguments: text });
    } else if (item.type === 'custom_tool_call') {
      const { input } = item;
      this.#push('custom_tool_call_input.delta', { delta: input });
      this.#push('custom_tool_call_input.done', { input });
    }
    const { outputIndex, push } = this.#place;
    push('response.output_item.done', { output_index: outputIndex, item });
  }

  /** Ends an item that is not part of the response. */
  abandon(): void {
    const item = withText(this.#empty, this.#text);
    const shown = item.type === 'text' ? { ...item, logprobs: this.#logprobs } : item;
    this.end(this.#place.present(shown, 'incomplete'));
  }

  #addSummary(delta: string): void {
    if (this.#part === null) {
      this.#part = '';
      this.#parts += 1;
      const part = { type: 'summary_text', text: '' };
      this.#push('reasoning_summary_part.added', { summary_index: this.#parts - 1, part });
    }
    this.#part += delta;
    this.#push('reasoning_summary_text.delta', { summary_index: this.#parts - 1, delta });
  }

  #pushTextDone({ text, logprobs }: { text: string; logprobs: ResponseLogprob[] }): void {
    this.#push('output_text.done', { content_index: 0, text, logprobs });
  }

  #push(name: string, fields: object): void {
    const { id, outputIndex, push } = this.#place;
    push(`response.${name}`, { item_id: id, output_index: outputIndex, ...fields });
  }
}

/** Returns the text that the deltas of an item add up to. */
function textOf(item: ResponseItem): string {
  switch (item.type) {
    case 'function_call':
      return item.arguments;
    case 'reasoning':
      return item.summary[0]?.text ?? '';
    case 'message': {
      const [part] = item.content;
      return part?.type === 'refusal' ? part.refusal : (part?.text ?? '');
    }
    default:
      return ''; // other items have no deltas
  }
}

function withText(item: WrittenItem, text: string): WrittenItem {
  switch (item.type) {
    case 'text':
      return { type: 'text', text };
    case 'reasoning':
      return { ...item, text };
    case 'refusal':
      return { ...item, refusal: text };
    case 'tool_call':
      return { ...item, arguments: text };
    default:
      throw item satisfies never;
  }
}

/** Returns a tool call that has just begun. */
export function begunCall({ id, name }: Pick<ToolCallItem, 'id' | 'name'>): ToolCallItem {
  return {
    type: 'tool_call',
    id,
    name,
    arguments: '',
    status: 'requested',
    result: null,
    started_at: null,
    finished_at: null,
  };
}
