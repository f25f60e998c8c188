import { expect, test } from 'vitest';
import { PhraseMemory } from './phrase-memory.ts';

const made: string[] = [];
const say = (memory: PhraseMemory, phrase: string, manner = 'voice', bytes = 10) =>
  memory.recall(phrase, manner, async () => {
    made.push(`${manner}: ${phrase}`);
    return new Uint8Array(bytes);
  });

test('a short phrase is made once for each manner, a long one each time', async () => {
  const memory = new PhraseMemory();
  const first = await say(memory, 'Hello!');
  expect(await say(memory, 'Hello!')).toBe(first);
  expect(await say(memory, 'Hello!', 'other')).not.toBe(first);
  const long = 'a'.repeat(100);
  for (let time = 0; time < 2; time++) await say(memory, long);
  expect(made.splice(0)).toEqual(['voice: Hello!', 'other: Hello!', `voice: ${long}`, `voice: ${long}`]);
});

test('what was said longest ago is forgotten', async () => {
  const memory = new PhraseMemory();
  for (const phrase of ['one', 'two', 'one', 'three', 'one', 'two']) await say(memory, phrase, 'voice', 3_500_000);
  expect(made.splice(0)).toEqual(['voice: one', 'voice: two', 'voice: three', 'voice: two']);
});
