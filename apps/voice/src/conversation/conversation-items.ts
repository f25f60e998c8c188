import type { RealtimeItem, RealtimeNews, RealtimePart } from '@chorus/contract';

/** Older items are forgotten here; the stored session has them. */
const MOST = 2_000;

/** The items of a conversation, in their order, as its client knows them. */
export class ConversationItems {
  readonly #items = new Map<string, RealtimeItem>();
  readonly #tell: (news: RealtimeNews) => void;
  #last: string | null = null;

  constructor(tell: (news: RealtimeNews) => void) {
    this.#tell = tell;
  }

  /** The id of the last one; null: there is none. */
  get last(): string | null {
    return this.#last;
  }

  get(id: string): RealtimeItem | undefined {
    return this.#items.get(id);
  }

  all(): RealtimeItem[] {
    return [...this.#items.values()];
  }

  /** Puts an item behind all others, and tells of it; one that is complete at once. */
  add(item: RealtimeItem): void {
    const previous_item_id = this.#last;
    this.#items.set(item.id, item);
    this.#last = item.id;
    this.#tell({ type: 'conversation.item.added', item: { ...item }, previous_item_id });
    if (item.status !== 'in_progress')
      this.#tell({ type: 'conversation.item.done', item: { ...item }, previous_item_id });
    if (this.#items.size <= MOST) return;
    const [oldest] = this.#items.keys();
    if (oldest !== undefined) this.#items.delete(oldest);
  }

  /** An item that was in progress is not any more. */
  finish(id: string, status: 'completed' | 'incomplete', content: RealtimePart[]): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    Object.assign(item, { status, content });
    this.#tell({ type: 'conversation.item.done', item: { ...item }, previous_item_id: this.#before(id) });
  }

  /** Replaces what an item says, without a word. */
  rewrite(id: string, content: RealtimePart[]): void {
    const item = this.#items.get(id);
    if (item !== undefined) item.content = content;
  }

  remove(id: string): void {
    const before = this.#before(id);
    if (this.#items.delete(id) && this.#last === id) this.#last = before;
    this.#tell({ type: 'conversation.item.deleted', item_id: id });
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
