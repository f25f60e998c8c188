import { expect, test } from 'vitest';
import { toChoice, toLastDelta } from './chat-answer.ts';
import type { OutputItem, ToolCallItem } from './execution.ts';
import { messageSteps, stepsIn, withEndedCalls } from './message-steps.ts';

const call = (id: string, step: number, status: ToolCallItem['status'] = 'succeeded'): ToolCallItem => ({
  ...{ type: 'tool_call', id, name: 'read', arguments: '{}', status, result: 'r' },
  ...{ started_at: null, finished_at: null, step },
});
const text = (value: string): OutputItem => ({ type: 'text', text: value });
const thought = (signature: string): OutputItem => ({ type: 'reasoning', text: 'Hm.', signature });

const output = [
  ...[thought('one'), text('First.'), call('a', 0), call('b', 0)],
  ...[call('c', 1, 'running'), thought('two'), text('\n\nDone.')],
];

test('splits an output into the steps of an agent', () => {
  expect(stepsIn(output).map((items) => items.length)).toEqual([4, 1]);
  expect(messageSteps(output)).toMatchObject([
    { content: 'First.', tool_calls: [{ id: 'a' }, { id: 'b' }] },
    { content: '', tool_calls: [{ id: 'c', status: 'running' }] },
  ]);
  expect(messageSteps([text('Hi')])).toEqual([]);
});

test('ends the open calls of an interrupted turn', () => {
  const at = new Date();
  const started = { ...call('d', 1, 'running'), started_at: at.toISOString() };
  const waiting = ['e', 'f'].map((id) => call(id, 1, 'awaiting_approval'));
  const approvals = [{ tool_call_id: 'f', decision: 'approve' }];
  const ended = withEndedCalls([...output, started, ...waiting], at, approvals);
  const calls = ended.flatMap((item) => (item.type === 'tool_call' ? [[item.id, item.status, item.finished_at]] : []));
  const finished_at = at.toISOString();
  expect(calls).toEqual([
    ['a', 'succeeded', null],
    ['b', 'succeeded', null],
    ['c', 'failed', finished_at],
    ['d', 'unknown', finished_at],
    ['e', 'denied', finished_at],
    ['f', 'unknown', finished_at],
  ]);
});

test('hides calls that ran on the server, and the signatures before them, from OpenAI’s clients', () => {
  const { message } = toChoice(output, 'stop');
  expect(message).toMatchObject({ content: 'First.\n\nDone.' });
  expect(message.tool_calls).toBeUndefined();
  expect(message.reasoning_blocks).toEqual([{ text: 'Hm.' }, { text: 'Hm.', signature: 'two' }]);
  expect(toLastDelta(output)).not.toHaveProperty('tool_calls');
});
