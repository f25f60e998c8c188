import type { JobOutput, ResponseOptions, RunningEvent } from '@chorus/contract';
import { expect, test } from 'vitest';
import { limitCalls } from './limit-calls.ts';

type Event = RunningEvent<JobOutput<'response'>>;

const text = (index: number): Event => ({ type: 'text.delta', index, delta: 'x' });
const call = (index: number, name: string): Event => ({
  type: 'tool_call.delta',
  index,
  call: index,
  id: `call_${index}`,
  name,
  arguments_delta: '{}',
});
const named = (name: string) => ({ type: 'function' as const, name });

function emitted(options: ResponseOptions, events: Event[]): string[] {
  const shown: string[] = [];
  const emit = limitCalls((event) => {
    if ('index' in event) shown.push(`${event.index}${event.type === 'tool_call.delta' ? event.name : ''}`);
    return undefined;
  }, options);
  for (const event of events) emit(event);
  return shown;
}

const calls = [text(0), call(1, 'f'), call(2, 'g'), call(1, 'f'), call(3, 'f'), text(4)];

test.each<[string, ResponseOptions, string[]]>([
  ['all without a limit', {}, ['0', '1f', '2g', '1f', '3f', '4']],
  ['the first ones', { max_tool_calls: 2 }, ['0', '1f', '2g', '1f', '3']],
  ['allowed ones', { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [named('g')] } }, ['0', '1g', '2']],
  ['the function that was chosen', { tool_choice: named('f') }, ['0', '1f', '1f', '2f', '3']],
  ['none', { tool_choice: 'none' }, ['0', '1']],
])('keeps %s, and numbers the items without gaps', (_name, options, shown) => {
  expect(emitted(options, calls)).toEqual(shown);
});

test('counts from zero after a reset', () => {
  const reset: Event = { type: 'text.reset', reason: 'worker_lost' };
  expect(emitted({ max_tool_calls: 1 }, [call(0, 'f'), call(1, 'f'), reset, call(0, 'g'), text(1)])).toEqual([
    '0f',
    '0g',
    '1',
  ]);
});
