import type { ChatMessage } from '@chorus/contract';
import { describe, expect, test } from 'vitest';
import { answer } from './assistant.ts';

const now = new Date('2026-11-20T14:05:09Z');
const ask = (...turns: string[]) =>
  answer(
    turns.map((content, index): ChatMessage => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
    now,
  );

const HOW = /OPENAI_API_KEY.*COMPATIBLE_BASE_URL.*restart/s;
const WHAT = /embedded assistant.*not a language model/s;

test.each([
  ['say hello', 'hello'],
  ['Say "hello world".', 'hello world'],
  ['repeat after me: one  two\nthree', 'one  two\nthree'],
  ['Please repeat after me, I am here!', 'I am here!'],
  ['echo 2+2', '2+2'],
  ['Can you say: Grüße 👋', 'Grüße 👋'],
])('echoes, and nothing more: %s', (text, said) => {
  expect(ask(text)).toBe(said);
});

test.each([
  ['what is 2+2?', '2+2 = 4'],
  ["What's 15% of 80", '15 / 100 * 80 = 12'],
  ['12 * (3 + 4) =', '12 * (3 + 4) = 84'],
  ['calculate sqrt(2)', 'sqrt(2) ≈ 1.41421356237'],
  ['how much is 7 times 6?', '7 * 6 = 42'],
  ['1/0', 'Dividing by zero has no result.'],
  ['What time is it?', 'It is 14:05:09 on Friday, 20 November 2026 (UTC).'],
  ["what's the time in Tokyo right now?", 'It is 23:05:09 on Friday, 20 November 2026 (Asia/Tokyo).'],
  ['Hi! Tell me the time, please', 'It is 14:05:09 on Friday, 20 November 2026 (UTC).'],
  ['hello, what is 2+2?', '2+2 = 4'],
  ['what year is it', 'It is Friday, 20 November 2026 (UTC).'],
  ['time in New York', 'It is 09:05:09 on Friday, 20 November 2026 (America/New_York).'],
  ['What day is it today?', 'It is Friday, 20 November 2026 (UTC).'],
  ["What is today's date in Europe/Berlin?", 'It is Friday, 20 November 2026 (Europe/Berlin).'],
])('%s', (text, first) => {
  const [line, ...rest] = ask(text).split('\n\n');
  expect(line).toBe(first);
  expect(rest.join(' ')).toMatch(WHAT);
  expect(rest.join(' ')).toMatch(HOW);
});

test('admits that it does not know a place', () => {
  expect(ask('what time is it in Atlantis?')).toContain("I don't know the time zone of Atlantis");
});

describe('the conversation so far', () => {
  test.each(['what did I just say?', 'Repeat what I said before', 'What was my last message?'])('%s', (text) => {
    expect(ask('my dog is called Rex', 'I see.', text)).toContain('You said: "my dog is called Rex"');
    expect(ask(text)).toContain('This is the first thing');
  });

  test('recalls its own answers and the first message', () => {
    expect(ask('say tomato', 'tomato', 'say that again')).toContain('tomato');
    expect(ask('a', 'b', 'c', 'd', 'what did I first say?')).toContain('First you said: "a"');
    expect(ask('what did you say?')).toContain("haven't said anything");
  });

  test('explains how to get a real model once, not in every answer', () => {
    const first = ask('what is 1+1?');
    expect(first).toMatch(HOW);
    expect(ask('what is 1+1?', first, 'what is 2+2?')).toBe('2+2 = 4');
  });
});

describe('summaries', () => {
  const text = Array.from(
    { length: 12 },
    (_, index) => `Sentence number ${index + 1} tells of the old harbour and its ships.`,
  ).join(' ');

  test.each([
    `Summarize: ${text}`,
    `Please summarise the following text:\n\n${text}`,
    `${text}\n\ntl;dr`,
    `${text} ${text}`,
  ])('case %#', (message) => {
    const answered = ask(message);
    expect(answered).toMatch(/^Of (12|24) sentences these carry the text, word for word:\n- Sentence number/);
    for (const line of answered.split('\n').filter((at) => at.startsWith('- ')))
      expect(message).toContain(line.slice(2));
  });

  test('of text pasted earlier', () => {
    expect(ask(text, 'ok', 'summarize that please')).toMatch(/^Of 12 sentences/);
    expect(ask('summarize')).toContain('Paste the text');
    expect(ask('summarize: It is short.')).toContain('That is short already: It is short.');
  });
});

test.each([
  'hi',
  'Hello!',
  'help',
  'What can you do?',
  'who are you?',
  'How do I configure a real model?',
  '',
  'Why is the sky blue?',
  'Write a poem',
])('introduces itself, its abilities and how to change the model: %s', (text) => {
  expect(ask(text)).toMatch(WHAT);
  expect(ask(text)).toMatch(HOW);
  expect(ask(text)).toContain('what time is it in Tokyo?');
});

test('admits what it cannot know', () => {
  expect(ask('Who won the match yesterday?')).toMatch(/^I can't know that\./);
  for (const text of [
    '2024-05-01',
    'what time does the store open?',
    'What day is Christmas?',
    'what is the time complexity of quicksort?',
    'date ideas',
    'what is 5?',
  ])
    expect(ask(text)).toMatch(/^I can't know that\./);
});

test('admits that it cannot see', () => {
  const look = (text: string) =>
    answer(
      [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'https://x/y.png' } },
            { type: 'text', text },
          ],
        },
      ],
      now,
    );
  expect(look('what is this?')).toMatch(/^I can't see the image\. I can't know that\./);
  expect(look('')).toMatch(/^I can't see the image\. /);
  expect(look('say cheese')).toBe("I can't see the image. cheese");
});

test('answers long and odd messages quickly', () => {
  for (const text of [
    'a'.repeat(1_000_000),
    ' '.repeat(500_000),
    '\n \n'.repeat(200_000),
    'say '.repeat(200_000),
    '1+'.repeat(300_000),
    'summarize '.repeat(100_000),
  ])
    expect(ask(text)).not.toBe('');
});

test('introduces itself if there are only instructions', () => {
  expect(answer([{ role: 'system', content: 'be a pirate' }], now)).toMatch(WHAT);
});

test('is as brief as its instructions request', () => {
  const briefly = (...said: string[]) => {
    const asked = said.map((content, at): ChatMessage => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
    return answer([{ role: 'system', content: 'Answer in short sentences.' }, ...asked], now);
  };
  for (const text of ['hi', 'who are you?', 'Why is the sky blue?', 'what is 1+1?', '']) {
    expect(briefly(text)).toContain('not a language model');
    expect(briefly(text).length).toBeLessThan(180);
  }
  expect(briefly('what is 1+1?', briefly('hi'), 'what is 2+2?')).toBe('2+2 = 4');
  expect(briefly('How do I configure a real model?')).toMatch(HOW);
});
