import { expect, test } from 'vitest';
import { applyEvent, type Caption, endCall } from './captions.ts';
import type { RealtimeEvent } from './realtime-events.ts';

const read = (events: RealtimeEvent[]) => events.reduce<readonly Caption[]>(applyEvent, []);

test('shows both sides as they speak, and marks what was never heard', () => {
  const captions = read([
    { type: 'input_audio_buffer.speech_started', item_id: 'a' },
    { type: 'conversation.item.input_audio_transcription.delta', item_id: 'a', delta: 'What is' },
    { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a', transcript: 'What is it?' },
    { type: 'response.output_audio_transcript.delta', item_id: 'b', delta: 'It is ' },
    { type: 'response.output_audio_transcript.delta', item_id: 'b', delta: 'a mill.' },
    { type: 'conversation.item.truncated', item_id: 'b' },
  ]);
  expect(captions).toEqual([
    { id: 'a', role: 'user', text: 'What is it?', isDone: true, isCutOff: false },
    { id: 'b', role: 'assistant', text: 'It is a mill.', isDone: true, isCutOff: true },
  ]);
});

test('drops audio without speech', () => {
  const begun: RealtimeEvent = { type: 'input_audio_buffer.speech_started', item_id: 'a' };
  expect(
    read([begun, { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a', transcript: ' ' }]),
  ).toEqual([]);
});

test('adds what was missed after a reconnect, without duplicates', () => {
  const lost: RealtimeEvent[] = [
    { type: 'input_audio_buffer.speech_started', item_id: 'a' },
    { type: 'response.output_audio_transcript.delta', item_id: 'b', delta: 'It is a mill. It' },
    { type: 'response.output_audio_transcript.delta', item_id: 'c', delta: 'It burned' },
    { type: 'session.created', session: { session_id: 's', model: 'm' } },
    { type: 'conversation.item.added', item: { id: 'z', status: 'completed', content: [{ text: 'Before.' }] } },
    {
      type: 'conversation.item.added',
      item: { id: 'b', status: 'completed', content: [{ transcript: 'It is a mill. It is old.' }] },
    },
    { type: 'response.content_part.added', item_id: 'c', part: { transcript: 'It ' } },
    { type: 'response.output_audio_transcript.delta', item_id: 'c', delta: 'burned down.' },
    { type: 'conversation.item.truncated', item_id: 'c' },
    {
      type: 'conversation.item.retrieved',
      item: { id: 'c', status: 'completed', content: [{ transcript: 'It burned' }] },
    },
  ];
  expect(read(lost).map(({ id, text, isDone, isCutOff }) => [id, text, isDone, isCutOff])).toEqual([
    ['b', 'It is a mill. It is old.', true, false],
    ['c', 'It burned', true, true],
  ]);
});

const DONE = { status: 'failed', status_details: null, session_id: null } as const;

test('drops captions that never got a text', () => {
  const events: RealtimeEvent[] = [
    { type: 'input_audio_buffer.speech_started', item_id: 'a' },
    { type: 'response.content_part.added', item_id: 'b', part: {} },
    { type: 'response.done', response: DONE },
    { type: 'input_audio_buffer.speech_started', item_id: 'c' },
    { type: 'conversation.item.input_audio_transcription.completed', item_id: 'c', transcript: 'Hello?' },
    { type: 'response.output_audio_transcript.delta', item_id: 'd', delta: 'Hi' },
    { type: 'response.done', response: DONE },
    { type: 'response.content_part.added', item_id: 'e', part: {} },
    { type: 'conversation.item.truncated', item_id: 'e' },
    { type: 'response.output_audio_transcript.done', item_id: 'f', transcript: '' },
    { type: 'input_audio_buffer.speech_started', item_id: 'g' },
    { type: 'response.done', response: DONE },
  ];
  const captions = read(events);
  expect(captions.map(({ id, text, isDone }) => [id, text, isDone])).toEqual([
    ['c', 'Hello?', true],
    ['d', 'Hi', true],
    ['g', '', false],
  ]);
  expect(endCall(captions).map(({ id }) => id)).toEqual(['c', 'd']);
});
