import type { OutputItem, RunningEvent } from '@chorus/contract';
import { replayEvents } from '@chorus/executions';
import type { Continuation } from '@chorus/worker-kit';
import { type AgentItem, savedItems } from './agent-state.ts';

type Event = RunningEvent<AgentItem>;

/**
 * Determines how a turn continues after its last finished step. Shown items of finished steps stay. An
 * unfinished answer is taken back, and the finished steps are shown again.
 */
export function continueFrom(checkpoint: unknown, shown: readonly OutputItem[]): Continuation<AgentItem> {
  const saved = savedItems(checkpoint);
  const missing = missingEvents(shown, saved);
  return missing === null
    ? { resets: true, events: replayEvents(saved) as Event[] }
    : { resets: false, events: missing };
}

/** Returns the events that are missing to show the items. Null: something else was shown. */
function missingEvents(shown: readonly OutputItem[], items: readonly AgentItem[]): Event[] | null {
  if (shown.length > items.length) return null;
  const events: Event[] = [];
  for (const [index, item] of items.entries()) {
    const before = shown[index];
    const missing = before === undefined ? itemEvents(item, index) : restOf(before, item, index);
    if (missing === null) return null;
    events.push(...missing);
  }
  return events;
}

function itemEvents(item: AgentItem, index: number): Event[] {
  return (replayEvents([item]) as Event[]).map((event) => ('index' in event ? { ...event, index } : event));
}

function restOf(before: OutputItem, item: AgentItem, index: number): Event[] | null {
  if (before.type === 'text' && item.type === 'text') {
    if (!item.text.startsWith(before.text)) return null;
    const delta = item.text.slice(before.text.length);
    if (delta === '') return [];
    return item.logprobs === undefined ? [{ type: 'text.delta', index, delta }] : null;
  }
  if (before.type === 'refusal' && item.type === 'refusal') {
    if (!item.refusal.startsWith(before.refusal)) return null;
    const delta = item.refusal.slice(before.refusal.length);
    return delta === '' ? [] : [{ type: 'refusal.delta', index, delta }];
  }
  if (before.type === 'reasoning' && item.type === 'reasoning') {
    if (!item.text.startsWith(before.text)) return null;
    const delta = item.text.slice(before.text.length);
    const rest: Event[] = delta === '' ? [] : [{ type: 'reasoning.delta', index, delta }];
    return item.signature === before.signature ? rest : [...rest, { type: 'output.item', index, item }];
  }
  if (before.type !== item.type) return null;
  if (before.type === 'tool_call' && item.type === 'tool_call') {
    if (before.id !== item.id) return null;
    const same = before.status === item.status && before.started_at === item.started_at;
    return same ? [] : [{ type: 'output.item', index, item }];
  }
  return [];
}
