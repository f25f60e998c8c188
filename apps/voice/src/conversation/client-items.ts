import {
  newId,
  REALTIME_LIMITS,
  type RealtimeClientEvent,
  type RealtimeItem,
  type RealtimeNewItem,
} from '@chorus/contract';
import { TEXT_INPUT } from './answer-plan.ts';
import type { ConversationItems } from './conversation-items.ts';
import type { InputAudio } from './input-audio.ts';
import { Refusal } from './refusal.ts';
import type { Turns } from './turns.ts';

/** Items that the client adds to or removes from the conversation. */
export class ClientItems {
  readonly #items: ConversationItems;
  readonly #turns: Turns;
  readonly #inputAudio: InputAudio;
  readonly #systemTexts = new Map<string, string>();
  #count = 0;

  constructor(items: ConversationItems, turns: Turns, listening: InputAudio) {
    this.#items = items;
    this.#turns = turns;
    this.#inputAudio = listening;
  }

  /** System texts in addition to the instructions. */
  get systemTexts(): string[] {
    return [...this.#systemTexts.values()];
  }

  /** @throws {Refusal} too_many_items, not_supported, invalid_value */
  create({ item, previous_item_id }: Extract<RealtimeClientEvent, { type: 'conversation.item.create' }>): void {
    this.#count += 1;
    if (this.#count > REALTIME_LIMITS.items)
      throw new Refusal('too_many_items', `A client can add at most ${REALTIME_LIMITS.items} items.`);
    if (previous_item_id != null && previous_item_id !== this.#items.last)
      throw new Refusal(
        'not_supported',
        'Items can only be added at the end: remove "previous_item_id", or set it to the last item.',
      );
    if (item.role === 'assistant')
      throw new Refusal('not_supported', 'Assistant items cannot be added: the server already has its answers.');
    const id = item.id ?? newId('message');
    if (this.#items.get(id) !== undefined) throw new Refusal('invalid_value', 'Another item already has this id.');
    const at = performance.now();
    this.#items.add(shown(id, item));
    for (const part of item.content) {
      if (part.type === 'input_audio' && part.transcript == null) this.#inputAudio.transcribeItem(id, part.audio, at);
      else {
        const text = part.type === 'input_text' ? part.text : (part.transcript ?? '');
        if (item.role === 'system')
          this.#systemTexts.set(id, [this.#systemTexts.get(id), text].filter(Boolean).join('\n'));
        else if (text.trim() !== '') this.#turns.addInput({ itemId: id, text, receivedAt: at, source: TEXT_INPUT });
      }
    }
  }

  /** @throws {Refusal} not_supported: it is stored */
  remove({ id, message_id }: RealtimeItem): void {
    if (message_id != null)
      throw new Refusal('not_supported', `This item is stored. Delete it with DELETE /api/v1/messages/${message_id}.`);
    this.#turns.removeInput(id);
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
