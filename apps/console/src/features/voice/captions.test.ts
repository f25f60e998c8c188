import { expect, test } from 'vitest';
import { type Caption, withEvent } from './captions.ts';
import type { RealtimeEvent } from './realtime-events.ts';

const read = (events: RealtimeEvent[]) => events.reduce<readonly Caption[]>(withEvent, []);

test('both sides are read as they speak, and what was never heard is marked', () => {
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

test('a sound in which nobody spoke leaves nothing', () => {
  const begun: RealtimeEvent = { type: 'input_audio_buffer.speech_started', item_id: 'a' };
  expect(
    read([begun, { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a', transcript: ' ' }]),
  ).toEqual([]);
});
