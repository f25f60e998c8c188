import type { ResponseItem } from '@chorus/contract';
import type { ItemPlace, ShownItem } from './item-events.ts';

/** Sends the events of an item of an MCP server: its tools, a call, or a request to approve one. */
export class McpItemEvents {
  readonly #place: ItemPlace;
  #item: ShownItem;
  /** Whether all events are sent. */
  ended = false;

  constructor(place: ItemPlace, item: ShownItem) {
    this.#place = place;
    this.#item = item;
    const shown = place.present(item, 'in_progress');
    this.#send('response.output_item.added', { item: bare(shown) });
    if (shown.type === 'mcp_approval_request') this.#done(shown);
    else if (shown.type === 'mcp_list_tools') {
      this.#push('mcp_list_tools.in_progress');
      this.#push(shown.error === null ? 'mcp_list_tools.completed' : 'mcp_list_tools.failed');
      this.#done(shown);
    } else if (shown.type === 'mcp_call') {
      this.#push('mcp_call.in_progress');
      this.#push('mcp_call_arguments.delta', { delta: shown.arguments });
      this.#push('mcp_call_arguments.done', { arguments: shown.arguments });
      this.update(item);
    }
  }

  get id(): string {
    return this.#place.id;
  }

  /** Ends the item once its call has ended. */
  update(item: ShownItem): void {
    this.#item = item;
    const shown = this.#place.present(item, 'in_progress');
    if (shown.type === 'mcp_call' && shown.status !== 'in_progress') this.end(shown);
  }

  end(item: ResponseItem): void {
    if (this.ended) return;
    if (item.type === 'mcp_call' && item.status !== 'incomplete') this.#push(`mcp_call.${item.status}`);
    this.#done(item);
  }

  /** Ends an item that is not part of the response. */
  abandon(): void {
    this.end(this.#place.present(this.#item, 'incomplete'));
  }

  #done(item: ResponseItem): void {
    this.ended = true;
    this.#send('response.output_item.done', { item });
  }

  #push(name: string, fields: object = {}): void {
    this.#send(`response.${name}`, { item_id: this.id, ...fields });
  }

  #send(type: string, fields: object): void {
    this.#place.push(type, { output_index: this.#place.outputIndex, ...fields });
  }
}

/** Returns an item as it begins. */
function bare(item: ResponseItem): ResponseItem {
  if (item.type === 'mcp_list_tools') return { ...item, tools: [], error: null };
  if (item.type !== 'mcp_call') return item;
  return { ...item, status: 'in_progress', arguments: '', output: null, error: null };
}
