import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { AnswerBody } from '../answer-body.ts';
import { EventReader } from './event-reader.ts';
import type { Wire } from './wire.ts';

test.each([
  ['an event', 'data: ', 'An event is too long'],
  ['an answer that is JSON', '{"a":"', 'An answer is too long'],
])('refuses %s that does not end', async (_what, begin, message) => {
  let sent = 0;
  const endless = function* () {
    yield Buffer.from(begin);
    for (const piece = Buffer.alloc(1_000_000, 'x'); ; sent += 1) yield piece;
  };
  const body = new AnswerBody({ destroy: () => undefined }, Readable.from(endless()), undefined);
  const reader = new EventReader(body, { onlyText: null } as unknown as Wire, () =>
    Promise.reject(new Error('unused')),
  );
  expect(await reader.read()).toMatchObject([{ type: 'error', error: { message } }]);
  expect(sent).toBeLessThan(80);
  body.cancel();
});
