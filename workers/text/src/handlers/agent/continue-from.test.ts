import type { OutputItem, ToolCallItem } from '@chorus/contract';
import { NO_USAGE } from '@chorus/providers/usage';
import { expect, test } from 'vitest';
import type { AgentItem } from './agent-state.ts';
import { continueFrom } from './continue-from.ts';

const call = (fields: Partial<ToolCallItem> = {}): ToolCallItem => ({
  ...{ type: 'tool_call', id: 'a', name: 'read', arguments: '{}', status: 'succeeded', result: 'r' },
  ...{ started_at: '2026-01-01T00:00:00.000Z', finished_at: null, step: 0, ...fields },
});
const text = (value: string) => ({ type: 'text' as const, text: value });
const reasoning = (value: string, signature?: string) => ({
  ...{ type: 'reasoning' as const, text: value },
  ...(signature !== undefined && { signature }),
});

const checkpoint = (items: AgentItem[]) => ({
  ...{ fence: 'f', items, steps: 1, usage: NO_USAGE, cost_usd: 0, passages: [], sources: null },
});

const items = [reasoning('Hm.', 's'), text('Reading.'), call()];
const last = { type: 'output.item', index: 2, item: items[2] };

test.each<[string, OutputItem[], unknown[]]>([
  ['all', items, []],
  ['all but the end of a call', [...items.slice(0, 2), call({ status: 'running' })], [last]],
  ['all but the last item', items.slice(0, 2), [last]],
  ['part of a text', [reasoning('Hm.', 's'), text('Read')], [{ type: 'text.delta', index: 1, delta: 'ing.' }, last]],
  [
    'part of a thought',
    [reasoning('H')],
    [
      { type: 'reasoning.delta', index: 0, delta: 'm.' },
      { type: 'output.item', index: 0, item: items[0] },
      { type: 'text.delta', index: 1, delta: 'Reading.' },
      last,
    ],
  ],
])('shows what is missing where %s was shown', (_, shown, events) => {
  expect(continueFrom(checkpoint(items), shown)).toEqual({ resets: false, events });
});

test.each<[string, OutputItem[]]>([
  ['more', [...items, text('Half')]],
  ['another text', [items[0] as OutputItem, text('Writing')]],
  ['another call', [...items.slice(0, 2), call({ id: 'b' })]],
])('takes back what was shown where it was %s', (_, shown) => {
  const { resets, events } = continueFrom(checkpoint(items), shown);
  expect(resets).toBe(true);
  expect(events.map((event) => [event.type, 'index' in event && event.index])).toEqual([
    ['reasoning.delta', 0],
    ['output.item', 0],
    ['text.delta', 1],
    ['output.item', 2],
  ]);
});
