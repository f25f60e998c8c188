import type { ToolCallItem } from '@chorus/client';
import { expect, test } from 'vitest';
import { filesOf, segmentsOfMessage, segmentsOfProgress } from './segments.ts';
import { namedArguments, shortArguments, visibleText } from './step-text.ts';

const call = (id: string, more: Partial<ToolCallItem> = {}): ToolCallItem => ({
  ...{ type: 'tool_call', id, name: 'read', arguments: '{}', status: 'succeeded', result: 'page' },
  ...{ started_at: null, finished_at: null, ...more },
});

test('puts calls between the texts, and the text that is being written last', () => {
  const output = [undefined, call('a'), call('b'), undefined, call('own', { status: 'requested' })];
  const texts = ['Let me look.', undefined, undefined, '\n\nFound'];
  expect(segmentsOfProgress({ output, texts, refusal: '' })).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'calls', calls: [{ id: 'a' }, { id: 'b' }] },
    { type: 'text', text: '\n\nFound' },
  ]);
});

test('joins steps without text, and puts an edited text after the calls', () => {
  const steps = [
    { content: 'One.', tool_calls: [call('a')] },
    { content: '', tool_calls: [call('b')] },
  ];
  expect(segmentsOfMessage({ content: 'One.Two.', steps })).toMatchObject([
    { text: 'One.' },
    { calls: [{ id: 'a' }, { id: 'b' }] },
    { text: 'Two.' },
  ]);
  expect(segmentsOfMessage({ content: 'Edited.', steps })).toMatchObject([{ calls: [{}, {}] }, { text: 'Edited.' }]);
});

test('finds the files that calls made, not those that a page names', () => {
  const [one, two] = ['ast_01h455vb4pex5vsknk084sn02q', 'ast_01h455vb4pex5vsknk084sn02r'];
  const calls = [
    call('a', { name: 'generate_image', result: `Image: ${one} (image/png, 8x8)` }),
    call('b', { result: `[image: asset ${two}, image/png, 9 bytes]` }),
    call('c', { result: `see ${one}` }),
  ];
  expect(filesOf(calls)).toEqual([one, two]);
});

test('shows arguments on one line, and invisible characters as escapes', () => {
  expect(shortArguments('{"to":"you","tags":["a"]}')).toBe('to: you, tags: ["a"]');
  expect(shortArguments('{"to"')).toBe('{"to"');
  expect(namedArguments('{"body":"Dear\\nAda","n":1}')).toEqual([
    ['body', 'Dear\nAda'],
    ['n', '1'],
  ]);
  expect([namedArguments('[]'), namedArguments('{"to"')]).toEqual([null, null]);
  expect(visibleText('a\u202eb')).toBe('a\\u{202e}b');
});
