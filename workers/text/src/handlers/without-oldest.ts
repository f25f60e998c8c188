import type { ConversationItem } from '@chorus/contract';

/**
 * Leaves out the oldest turns of a conversation, about half of it. Keeps system messages and the last turn.
 * @returns null if nothing can be left out
 */
export function withoutOldest(items: readonly ConversationItem[]): ConversationItem[] | null {
  const sizes = items.map((item) => JSON.stringify(item).length);
  const half = sizes.reduce((sum, size) => sum + size, 0) / 2;
  let cut = 0;
  let size = 0;
  for (const [index, item] of items.entries()) {
    // A turn starts with a message of the user, so calls stay with their results.
    if (isBy(item, 'user') && index > 0) {
      cut = index;
      if (size >= half) break;
    }
    size += sizes[index] ?? 0;
  }
  const kept = items.filter((item, index) => index >= cut || isBy(item, 'system') || isBy(item, 'developer'));
  return kept.length < items.length ? kept : null;
}

function isBy(item: ConversationItem, role: 'user' | 'system' | 'developer'): boolean {
  return 'role' in item && item.role === role;
}
