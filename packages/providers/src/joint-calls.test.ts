import { LaneWait } from '@chorus/lanes';
import type { FakeOpenAI } from '@chorus/testing';
import { expect, test } from 'vitest';
import { type CallGate, openGate } from './call-gate.ts';
import type { CallOptions } from './provider-port.ts';
import { start } from './test-providers.ts';

const options: CallOptions = { signal: new AbortController().signal, executionId: 'job_test' };

/** A lane that lets one call at a time in, and refuses those that may not wait for long. */
function narrowGate(isClosed: () => boolean = () => false): CallGate {
  let last: Promise<unknown> | null = null;
  return {
    async enter(lane, { maxWaitMs, ...others }) {
      const before = last;
      if (isClosed() || (before !== null && maxWaitMs < 60_000)) throw new LaneWait(lane, 'busy', 0);
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      const pass = await openGate.enter(lane, { maxWaitMs, ...others });
      return {
        ...pass,
        leave() {
          if (last === promise) last = null;
          resolve();
        },
      };
    },
  };
}

const sentTo = (fake: FakeOpenAI) => fake.requests.flatMap(({ body }) => body.input ?? []);

/** Texts for several requests. */
const texts = Array.from({ length: 5_000 }, (_, at) => `text ${at}`);
const call = { model: 'openai/embed-start-50', texts, purpose: null };

test('pays no request twice when a lane has no place for some', async () => {
  const { fake, providers } = await start({ gate: narrowGate() });
  const { vectors } = await providers.embedTexts(call, options);
  expect(vectors).toHaveLength(texts.length);
  expect(sentTo(fake)).toHaveLength(texts.length);
});

test('does not wait in place before it has sent anything', async () => {
  const { fake, providers } = await start({ gate: narrowGate(() => true) });
  await expect(providers.embedTexts(call, options)).rejects.toBeInstanceOf(LaneWait);
  expect(sentTo(fake)).toEqual([]);
});
