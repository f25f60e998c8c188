import { buffer } from 'node:stream/consumers';
import { expectedText, fakeSpeech } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { personal, readAll, startTestVoice } from './test-voice.ts';

let voice: Awaited<ReturnType<typeof startTestVoice>>;

beforeAll(async () => {
  voice = await startTestVoice();
  await Promise.all([voice.startText(), voice.startVoice()]);
});
afterAll(() => voice.stop());

const soundOf = (events: Awaited<ReturnType<typeof readAll>>) => {
  const pieces = events.flatMap((event) => (event.type === 'audio.delta' ? [event] : []));
  let offset = 0;
  for (const piece of pieces) {
    expect(piece.offset).toBe(offset);
    offset += Buffer.from(piece.delta, 'base64').length;
  }
  return Buffer.concat(pieces.map(({ delta }) => Buffer.from(delta, 'base64')));
};
const textOf = (events: Awaited<ReturnType<typeof readAll>>) =>
  events.map((event) => (event.type === 'text.delta' ? event.delta : '')).join('');

test('what is said is answered by a turn of the session, and the answer is spoken', async () => {
  const owner = personal();
  const { id, reader, chat } = await voice.dispatch(owner, { model: 'compatible/words-20', format: 'pcm' });
  const events = await readAll(reader);
  expect(textOf(events)).toBe(expectedText('words-20'));
  const record = await voice.database.executions.get(owner, id);
  expect(record).toMatchObject({
    status: 'succeeded',
    model: 'compatible/words-20',
    session_id: chat.session_id,
    message_id: chat.assistant_message_id,
    output: [
      { type: 'text', text: expectedText('words-20') },
      { type: 'asset', asset: { kind: 'audio', execution_id: id } },
    ],
  });
  const [, sound] = record?.output ?? [];
  if (sound?.type !== 'asset') throw new Error('no sound');
  const asset = await voice.assets.get(owner, sound.asset.id);
  const bytes = await buffer(await voice.assets.read(asset!));
  // All that was written is spoken, whatever its clauses were.
  expect(soundOf(events).length).toBe(fakeSpeech(expectedText('words-20')).length);
  expect(soundOf(events).equals(bytes.subarray(44))).toBe(true);

  const session = await voice.database.sessions.get(owner, chat.session_id);
  expect(session).toMatchObject({ active_execution_id: null, message_count: 2, title: 'Go.' });
  const answer = await voice.database.messages.get(owner, chat.assistant_message_id);
  expect(answer).toMatchObject({ content: expectedText('words-20'), execution_id: chat.execution_id });
  const turn = await voice.database.executions.get(owner, chat.execution_id);
  expect(turn).toMatchObject({ kind: 'chat.completion', status: 'succeeded', request_id: 'req' });
});
