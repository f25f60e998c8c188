import { expect, test } from 'vitest';
import { EmptyChoices } from './empty-choices.ts';

const chunk = (choices: object[], more = {}) => `data: ${JSON.stringify({ id: 'a', choices, ...more })}\n\n`;
const spoken = chunk([{ index: 0, delta: { content: 'ö "choices":[]' } }]);

test.each([1, 5, 40, 10_000])('mends chunks without choices, in pieces of %i bytes', (size) => {
  const stream = Buffer.from(`${spoken}${chunk([], { usage: { total_tokens: 1 } })}${spoken}data: [DONE]`);
  const mend = new EmptyChoices();
  const pieces: Buffer[] = [];
  for (let at = 0; at < stream.length; at += size) pieces.push(mend.read(stream.subarray(at, at + size)));
  pieces.push(mend.end());
  const empty = chunk([{ index: 0, delta: {}, finish_reason: null }], { usage: { total_tokens: 1 } });
  expect(Buffer.concat(pieces).toString()).toBe(`${spoken}${empty}${spoken}data: [DONE]`);
});
