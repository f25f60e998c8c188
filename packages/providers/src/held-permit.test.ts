import { LaneWait } from '@chorus/lanes';
import { expect, test } from 'vitest';
import { type CallGate, openGate } from './call-gate.ts';
import { HeldPermit } from './held-permit.ts';
import type { CallOptions } from './provider-port.ts';
import { startFake } from './test-providers.ts';

const model = 'google/then-never@veo-video';
const call = { model, prompt: 'a cat', durationS: 5 };
const options = { signal: new AbortController().signal, executionId: 'job_test' };

/** A lane of one call. */
function narrowGate() {
  let inFlight = 0;
  const gate: CallGate = {
    enter(lane) {
      if (inFlight === 1) throw new LaneWait(lane, 'busy', 0);
      inFlight += 1;
      return { ...(openGate.enter(lane, { ...options, maxWaitMs: 0, user: '' }) as object), leave } as never;
    },
  };
  const leave = () => {
    inFlight -= 1;
  };
  return { gate, inFlight: () => inFlight };
}

test('holds the permit of a video until it is left, and polls with it', async () => {
  const { gate, inFlight } = narrowGate();
  const { providers, fake } = await startFake('google', { gate });
  const permit = new HeldPermit();
  const own: CallOptions = { ...options, permit };
  const { operation } = await providers.startVideo(call, own);
  expect(inFlight()).toBe(1);
  const request = { model, operation };
  expect(await providers.pollVideo(request, own)).toEqual({ status: 'pending' });
  expect(inFlight()).toBe(1);

  // A video that is resumed while its lane is full is polled all the same, and takes the permit once it is free.
  const resumed = new HeldPermit();
  expect(await providers.pollVideo(request, { ...options, permit: resumed })).toEqual({ status: 'pending' });
  await expect(providers.startVideo(call, options)).rejects.toBeInstanceOf(LaneWait);
  permit.leave();
  permit.leave();
  expect(inFlight()).toBe(0);
  expect(await providers.pollVideo(request, { ...options, permit: resumed })).toEqual({ status: 'pending' });
  expect(inFlight()).toBe(1);
  resumed.leave();
  expect(inFlight()).toBe(0);
  expect(fake.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('sends nothing, and frees the permit, if the preparation of a request fails', async () => {
  const { gate, inFlight } = narrowGate();
  const { providers, fake } = await startFake('google', { gate });
  const onRequest = () => Promise.reject(new Error('not saved'));
  await expect(providers.startVideo(call, { ...options, onRequest })).rejects.toThrow('not saved');
  expect(inFlight()).toBe(0);
  expect(fake.requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
});
