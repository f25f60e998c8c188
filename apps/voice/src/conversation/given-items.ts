import {
  newId,
  REALTIME_LIMITS,
  type RealtimeClientEvent,
  type RealtimeItem,
  type RealtimeNewItem,
} from '@chorus/contract';
import { UNHEARD } from './answer-plan.ts';
import type { ConversationItems } from './conversation-items.ts';
import type { Listening } from './listening.ts';
import { Refusal } from './refusal.ts';
import type { Turns } from './turns.ts';

/** What a client adds to a conversation itself, and takes out of it. */
export class GivenItems {
  readonly #items: ConversationItems;
  readonly #turns: Turns;
  readonly #listening: Listening;
  readonly #systemTexts = new Map<string, string>();
  #count = 0;

  constructor(items: ConversationItems, turns: Turns, listening: Listening) {
    this.#items = items;
    this.#turns = turns;
    this.#listening = listening;
  }

  /** What is told for the system, beside the instructions. */
  get systemTexts(): string[] {
    return [...this.#systemTexts.values()];
  }

  /** @throws {Refusal} too_many_items, not_supported, invalid_value */
  create({ item, previous_item_id }: Extract<RealtimeClientEvent, { type: 'conversation.item.create' }>): void {
    this.#count += 1;
    if (this.#count > REALTIME_LIMITS.items)
      throw new Refusal('too_many_items', `A client adds ${REALTIME_LIMITS.items} items at most.`);
    if (previous_item_id != null && previous_item_id !== this.#items.last)
      throw new Refusal('not_supported', 'What was said stays in its order: an item goes behind all others.');
    if (item.role === 'assistant')
      throw new Refusal('not_supported', 'What was answered is known here; a client can not add to it.');
    const id = item.id ?? newId('message');
    if (this.#items.get(id) !== undefined) throw new Refusal('invalid_value', 'Another item has this id.');
    const at = performance.now();
    this.#items.add(shown(id, item));
    for (const part of item.content) {
      if (part.type === 'input_audio' && part.transcript == null) this.#listening.heardItem(id, part.audio, at);
      else {
        const text = part.type === 'input_text' ? part.text : (part.transcript ?? '');
        if (item.role === 'system')
          this.#systemTexts.set(id, [this.#systemTexts.get(id), text].filter(Boolean).join('\n'));
        else if (text.trim() !== '') this.#turns.say({ itemId: id, text, at, hearing: UNHEARD });
      }
    }
  }

  /** @throws {Refusal} not_supported: it is stored */
  remove({ id, message_id }: RealtimeItem): void {
    if (message_id != null)
      throw new Refusal('not_supported', `It is stored: DELETE /api/v1/messages/${message_id} deletes it.`);
    this.#turns.forget(id);
    this.#systemTexts.delete(id);
    this.#items.remove(id);
  }
}

function shown(id: string, { role, content }: RealtimeNewItem): RealtimeItem {
  return {
    id,
    object: 'realtime.item',
    type: 'message',
    status: 'completed',
    role,
    content: content.map((part) =>
      part.type === 'input_audio' ? { type: part.type, audio: null, transcript: part.transcript ?? null } : part,
    ),
    message_id: null,
  };
}
