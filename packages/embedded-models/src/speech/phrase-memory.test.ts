import { expect, test } from 'vitest';
import { PhraseMemory } from './phrase-memory.ts';

const made: string[] = [];
const say = async (memory: PhraseMemory, phrase: string, manner = 'voice', bytes = 10) =>
  Buffer.concat(await Array.fromAsync(memory.recall(phrase, manner, () => make(phrase, manner, bytes))));

async function* make(phrase: string, manner: string, bytes: number) {
  made.push(`${manner}: ${phrase}`);
  for (const half of [1, 2]) yield new Uint8Array(bytes / 2).fill(half);
}

test('generates a short phrase once per voice and speed, and a long one every time', async () => {
  const memory = new PhraseMemory();
  const first = await say(memory, 'Hello!');
  expect(await say(memory, 'Hello!')).toEqual(first);
  expect(await say(memory, 'Hello!', 'other')).toHaveLength(10);
  const long = 'a'.repeat(100);
  for (let time = 0; time < 2; time++) await say(memory, long);
  expect(made.splice(0)).toEqual(['voice: Hello!', 'other: Hello!', `voice: ${long}`, `voice: ${long}`]);
});

test('forgets the least recently used phrase', async () => {
  const memory = new PhraseMemory();
  for (const phrase of ['one', 'two', 'one', 'three', 'one', 'two']) await say(memory, phrase, 'voice', 3_500_000);
  expect(made.splice(0)).toEqual(['voice: one', 'voice: two', 'voice: three', 'voice: two']);
});

test('does not remember an unfinished phrase', async () => {
  const memory = new PhraseMemory();
  for await (const piece of memory.recall('Wait!', 'voice', () => make('Wait!', 'voice', 10))) {
    expect(piece).toHaveLength(5);
    break;
  }
  expect(await say(memory, 'Wait!')).toHaveLength(10);
  expect(made.splice(0)).toEqual(['voice: Wait!', 'voice: Wait!']);
});
