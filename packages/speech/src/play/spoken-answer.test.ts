import { expect, test } from 'vitest';
import { SpokenAnswer } from './spoken-answer.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function open() {
  const begun: string[] = [];
  const heard: string[] = [];
  const stop = new AbortController();
  const answer = new SpokenAnswer({
    async *speak({ text }) {
      begun.push(text);
      yield new Uint8Array(2);
    },
    hear: async (_, { text }) => void heard.push(text),
    signal: stop.signal,
  });
  return { answer, begun, heard, stop };
}

test('starts no clause while paused and continues afterwards', async () => {
  const { answer, begun, heard } = open();
  answer.take('This is the first one. ');
  await settled();
  answer.pause();
  answer.take('Here comes the second. And a third. ');
  await settled();
  expect(begun).toEqual(['This is the first one.']);
  answer.resume();
  await answer.end();
  expect(heard).toEqual(['This is the first one.', 'Here comes the second.', 'And a third.']);
});

test('stops while paused', async () => {
  const { answer, begun, stop } = open();
  answer.pause();
  answer.take('Never said. ');
  const ended = answer.end();
  stop.abort(new Error('enough'));
  await expect(ended).rejects.toThrow('enough');
  expect(begun).toEqual([]);
});

test('speaks a complete sentence after a pause in the text, before the answer ends', async () => {
  const { answer, begun, heard } = open();
  answer.take('It is a mill.');
  await expect.poll(() => begun).toEqual(['It is a mill.']);
  answer.take(' It was built by Dr.');
  answer.take(' Smith. Then it');
  answer.take(' burned down.');
  await expect.poll(() => begun).toHaveLength(3);
  await answer.end();
  expect(heard).toEqual(['It is a mill.', 'It was built by Dr. Smith.', 'Then it burned down.']);
});
