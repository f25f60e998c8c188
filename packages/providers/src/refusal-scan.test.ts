import { expect, test } from 'vitest';
import { RefusalScan } from './refusal-scan.ts';

const chat = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const spaced = (refusal: string) => `data: {"choices": [{"delta": {"refusal" : "${refusal}"}}]}\n\n`;
const response = (type: string, delta: string) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, item_id: 'msg_1', delta })}\n\n`;

/** Reads a stream in chunks of this many bytes, and returns which of its texts are refusals. */
function refusals(stream: string, texts: string[], size: number): boolean[] {
  const scan = new RefusalScan();
  const bytes = Buffer.from(stream);
  for (let at = 0; at < bytes.length; at += size) scan.read(bytes.subarray(at, at + size));
  return texts.map((text) => scan.takes(text));
}

const STREAM = [
  chat({ role: 'assistant', content: '', refusal: null }),
  chat({ content: 'a refusal" : "x' }),
  chat({ refusal: 'Nö' }),
  ': comment about a refusal\n\n',
  spaced('way'),
  response('response.output_text.delta', 'response.refusal.delta'),
  response('response.refusal.delta', '😀\n'),
  response('response.refusal.done', 'whole'),
  'data: {"refusal":"not JSON\n\n',
].join('');

test.each([1, 2, 7, 50, 10_000])('finds refusals in chunks of %i bytes', (size) => {
  const texts = ['a refusal" : "x', 'Nö', 'other', 'way', 'response.refusal.delta', '😀\n', 'whole', 'x'];
  expect(refusals(STREAM, texts, size)).toEqual([false, true, false, true, false, true, false, false]);
});

test('an endless line is not kept', () => {
  const scan = new RefusalScan();
  const chunk = Buffer.alloc(300_000, 'a');
  for (let count = 0; count < 20; count += 1) scan.read(chunk);
  scan.read(Buffer.from(`\n${chat({ refusal: 'No' })}`));
  expect(scan.takes('No')).toBe(true);
});
