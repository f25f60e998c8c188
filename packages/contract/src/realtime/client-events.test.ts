import { expect, test } from 'vitest';
import { readRealtimeEvent } from './client-events.ts';

const settingsOf = (session: unknown) => {
  const read = readRealtimeEvent({ type: 'session.update', session });
  if (!('event' in read) || read.event.type !== 'session.update') throw new Error(JSON.stringify(read));
  return read.event.session;
};

test('reads the beta form of a session like the current one', () => {
  const detection = { type: 'server_vad', threshold: 0.4, silence_duration_ms: 300 };
  const today = settingsOf({
    type: 'realtime',
    output_modalities: ['audio'],
    instructions: 'Be short.',
    max_output_tokens: 'inf',
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: 24_000 },
        transcription: { model: 'whisper-1', language: 'en' },
        turn_detection: detection,
      },
      output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'af_heart', speed: 1.1 },
    },
  });
  const beta = settingsOf({
    modalities: ['text', 'audio'],
    instructions: 'Be short.',
    max_response_output_tokens: 'inf',
    input_audio_format: 'pcm16',
    output_audio_format: 'pcm16',
    input_audio_transcription: { model: 'whisper-1', language: 'en' },
    turn_detection: detection,
    voice: 'af_heart',
    speed: 1.1,
  });
  expect(today).toEqual(beta);
  expect(today.settings).toEqual({
    modality: 'audio',
    instructions: 'Be short.',
    max_output_tokens: null,
    voice: 'af_heart',
    speed: 1.1,
    transcription: { model: 'whisper-1', language: 'en' },
    turn_detection: {
      type: 'server_vad',
      threshold: 0.4,
      prefix_padding_ms: 300,
      silence_duration_ms: 300,
      create_response: true,
      interrupt_response: true,
    },
  });
});

test('keeps absent fields, treats null as a value, and lists unsupported fields', () => {
  expect(settingsOf({ type: 'realtime', tracing: 'auto', tools: [], model: 'gpt-realtime' })).toEqual({
    settings: {},
    ignored: ['tracing'],
  });
  const audio = { input: { turn_detection: null, transcription: null, noise_reduction: null } };
  expect(settingsOf({ audio, tools: [{ type: 'function', name: 'f' }], include: null })).toEqual({
    settings: { turn_detection: null, transcription: null },
    ignored: ['tools'],
  });
});

test.each([
  ['nothing', null, 'unknown_event', 'type'],
  ['a list', [], 'unknown_event', 'type'],
  ['no type', { event_id: 'e1' }, 'unknown_event', 'type'],
  ['an object as a name', { type: 'constructor' }, 'unknown_event', 'type'],
  ['no base64', { type: 'input_audio_buffer.append', audio: '%%%' }, 'invalid_value', 'audio'],
  ['half a sample', { type: 'input_audio_buffer.append', audio: 'AAAA' }, 'invalid_value', 'audio'],
  ['no sound', { type: 'input_audio_buffer.append' }, 'invalid_value', 'audio'],
  [
    'another format',
    { type: 'session.update', session: { audio: { input: { format: { type: 'audio/pcmu' } } } } },
    'invalid_value',
    'session.audio.input.format',
  ],
  [
    'another kind of session',
    { type: 'session.update', session: { type: 'transcription' } },
    'invalid_value',
    'session.type',
  ],
  [
    'a function call',
    { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'c', output: '' } },
    'invalid_value',
    'item.role',
  ],
  [
    'time that runs backwards',
    { type: 'conversation.item.truncate', item_id: 'i', content_index: 0, audio_end_ms: -1 },
    'invalid_value',
    'audio_end_ms',
  ],
])('refuses %s with a reason', (_what, value, code, param) => {
  expect(readRealtimeEvent(value)).toMatchObject({ mistake: { code, param } });
});

test('names the refused event, shortened if needed', () => {
  expect(readRealtimeEvent({ type: 'no.such', event_id: 'mine' })).toMatchObject({ mistake: { event_id: 'mine' } });
  const read = readRealtimeEvent({ type: 'x'.repeat(5_000), event_id: 'y'.repeat(5_000) });
  expect(JSON.stringify(read).length).toBeLessThan(2_000);
});

test('accepts audio as base64 and as bytes', () => {
  const sound = Buffer.from([1, 0, 255, 127]);
  for (const audio of [sound.toString('base64'), sound]) {
    const read = readRealtimeEvent({ type: 'input_audio_buffer.append', audio });
    expect(read).toMatchObject({ event: { type: 'input_audio_buffer.append' } });
    if ('event' in read && read.event.type === 'input_audio_buffer.append')
      expect([...read.event.audio]).toEqual([1, 0, 255, 127]);
  }
});

test('reads settings of a single response outside the conversation', () => {
  const input = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    { type: 'item_reference', id: 'item_1' },
  ];
  const response = { output_modalities: ['text'], instructions: 'Short', conversation: 'none', input, tools: [{}] };
  expect(readRealtimeEvent({ type: 'response.create', response })).toMatchObject({
    event: {
      response: { settings: { modality: 'text', instructions: 'Short' }, apart: true, input, ignored: ['tools'] },
    },
  });
  expect(readRealtimeEvent({ type: 'response.create' })).toHaveProperty('event');
});
