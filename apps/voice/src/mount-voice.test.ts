import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestVoice, type TestVoice } from './test-voice.ts';

let own: TestVoice;
beforeAll(async () => {
  own = await startTestVoice();
});
afterAll(() => own.stop());

test('a session is told of, changed and echoed; what can not be read is refused, and the socket stays', async () => {
  const socket = own.open('/api/v1/realtime?model=gpt-realtime');
  const { session } = await socket.next('session.created');
  expect(session).toMatchObject({ type: 'realtime', output_modalities: ['audio'], session_id: null });

  socket.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Short.', tracing: 'auto' } });
  const updated = await socket.next('session.updated');
  expect(updated.session).toMatchObject({ instructions: 'Short.', ignored: ['tracing'] });
  expect(updated.session.audio.input.turn_detection).toMatchObject({ type: 'server_vad', interrupt_response: true });

  socket.send('{"type":');
  expect((await socket.next('error')).error).toMatchObject({ code: 'invalid_json', type: 'invalid_request_error' });
  socket.send({ type: 'no.such.event', event_id: 'mine' });
  expect((await socket.next('error')).error).toMatchObject({ code: 'unknown_event', event_id: 'mine' });
  expect(new Set(socket.told.map(({ event_id }) => event_id)).size).toBe(socket.told.length);
  socket.client.close();
  expect(await socket.closed).toMatchObject({ code: 1005 });
});
