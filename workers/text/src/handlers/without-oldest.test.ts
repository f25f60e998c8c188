import type { ConversationItem } from '@chorus/contract';
import { expect, test } from 'vitest';
import { withoutOldest } from './without-oldest.ts';

const user = (content: string): ConversationItem => ({ role: 'user', content });
const rules: ConversationItem = { role: 'system', content: 'Rules.' };
const said: ConversationItem = { role: 'assistant', content: 'Yes.' };
const called: ConversationItem = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
const result: ConversationItem = { type: 'function_call_output', call_id: 'a', output: '1' };

test('leaves out whole turns until about half is left, and keeps system messages', () => {
  const items = [rules, user('1'), said, user('2'), said, user('3'), called, result, user('4'), said, user('5')];
  const [one, two] = [withoutOldest(items) ?? [], withoutOldest(withoutOldest(items) ?? []) ?? []];
  expect(one[0]).toBe(rules);
  expect(one.slice(1)).toEqual(items.slice(8));
  expect(two).toEqual([rules, user('5')]);
  expect(withoutOldest(two)).toBeNull();
});

test('keeps the last turn whole', () => {
  expect(withoutOldest([user('1'), called, result])).toBeNull();
  expect(withoutOldest([said, user('1'), called, result])).toEqual([user('1'), called, result]);
  expect(withoutOldest([])).toBeNull();
});
