import type { RealtimeEventData, RealtimeItem, RealtimePart } from '@chorus/contract';

/** Older items are dropped here but remain in the stored session. */
const MAX_ITEMS = 2_000;

/** The items of a conversation in order, as its client knows them. */
export class ConversationItems {
  readonly #items = new Map<string, RealtimeItem>();
  readonly #send: (news: RealtimeEventData) => void;
  #last: string | null = null;

  constructor(send: (news: RealtimeEventData) => void) {
    this.#send = send;
  }

  get last(): string | null {
    return this.#last;
  }

  get(id: string): RealtimeItem | undefined {
    return this.#items.get(id);
  }

  all(): RealtimeItem[] {
    return [...this.#items.values()];
  }

  add(item: RealtimeItem): void {
    const previous_item_id = this.#last;
    this.#items.set(item.id, item);
    this.#last = item.id;
    this.#send({ type: 'conversation.item.added', item: { ...item }, previous_item_id });
    if (item.status !== 'in_progress')
      this.#send({ type: 'conversation.item.done', item: { ...item }, previous_item_id });
    if (this.#items.size <= MAX_ITEMS) return;
    const [oldest] = this.#items.keys();
    if (oldest !== undefined) this.#items.delete(oldest);
  }

  finish(id: string, status: 'completed' | 'incomplete', content: RealtimePart[]): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    Object.assign(item, { status, content });
    this.#send({ type: 'conversation.item.done', item: { ...item }, previous_item_id: this.#before(id) });
  }

  /** Replaces the content of an item without an event. */
  rewrite(id: string, content: RealtimePart[]): void {
    const item = this.#items.get(id);
    if (item !== undefined) item.content = content;
  }

  remove(id: string): void {
    const before = this.#before(id);
    if (this.#items.delete(id) && this.#last === id) this.#last = before;
    this.#send({ type: 'conversation.item.deleted', item_id: id });
  }

  #before(id: string): string | null {
    let before: string | null = null;
    for (const each of this.#items.keys()) {
      if (each === id) return before;
      before = each;
    }
    return null;
  }
}
