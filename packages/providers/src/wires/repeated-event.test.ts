import { expect, test } from 'vitest';
import { RepeatedEvent } from './repeated-event.ts';

const sent = (text: string, more = '') => `data: {"m":"gpt","d":{"c":${JSON.stringify(text)}}${more}}\n\n`;

test('reads the text of events like the learned one', () => {
  const events = new RepeatedEvent();
  expect(events.match(sent('a'), 0)).toBeNull();
  events.learn(sent('a'), 'a');
  const two = `${sent('b')}${sent('c')}`;
  expect(events.match(two, 0)).toEqual({ text: 'b', end: two.length / 2 });
  expect(events.match(two, two.length / 2)).toEqual({ text: 'c', end: two.length });
  expect(events.match(sent(''), 0)).toEqual({ text: '', end: sent('').length });
});

test.each([
  ['other members', sent('b', ',"x":1')],
  ['a quotation mark', sent('b"')],
  ['an escape', sent('b\n')],
  ['what JSON forbids', sent('b').replace('b', '\t')],
  ['no end', sent('b').slice(0, -1)],
  ['no closing quotation mark', sent('b').slice(0, 24)],
  ['another beginning', ` ${sent('b')}`],
])('leaves an event with %s to the parser', (_name, event) => {
  const events = new RepeatedEvent();
  events.learn(sent('a'), 'a');
  expect(events.match(event, 0)).toBeNull();
});

test.each([
  ['is also the name of the model', sent('gpt'), 'gpt'],
  ['is a key', sent('\\u006d').replace('\\\\', '\\'), 'm'],
  ['is empty', sent(''), ''],
  ['is escaped', sent('é').replace('é', '\\u00e9'), 'é'],
])('learns nothing from a text that %s', (_name, event, text) => {
  const events = new RepeatedEvent();
  events.learn(sent('a'), 'a');
  events.learn(event, text);
  expect(events.match(event, 0)).toBeNull();
  expect(events.match(sent('b'), 0)).toBeNull();
});
