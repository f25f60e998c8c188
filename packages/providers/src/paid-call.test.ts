import { ChorusError, type Usage } from '@chorus/contract';
import { expect, test } from 'vitest';
import { payFor, payForStream } from './paid-call.ts';
import type { CallOptions } from './provider-port.ts';
import { usePrices } from './usage/prices.ts';

const demand = () => ({ of: 'tokens' as const, models: ['m/x'], input: 0, output: 500 });
const usage = { input_tokens: 0, output_tokens: 1, total_tokens: 1, cost_usd: 0.25 };

const estimate = () => ({ ...usage, cost_usd: 0.375, estimated: true });

function open(limitUsd = 1) {
  usePrices([{ model: 'm/x', input: 0, output: 1_000 }]);
  const counted: [mostUsd: number, costUsd: number | null][] = [];
  const sent: string[] = [];
  const unfinished: Usage[] = [];
  const controller = new AbortController();
  const options: CallOptions = {
    signal: controller.signal,
    executionId: 'job',
    onRequest: () => void sent.push('asked'),
    onUnfinished: (used) => void unfinished.push(used),
    spending: {
      async reserve(mostUsd) {
        if (mostUsd > limitUsd) throw new ChorusError('budget_exceeded', 'Used up.');
      },
      ended: (...amounts) => void counted.push(amounts),
    },
  };
  return { options, counted, sent, unfinished, controller };
}

test('reserves the most of a call before its request, and counts what it cost', async () => {
  const { options, counted, sent } = open();
  const call = async ({ onRequest }: CallOptions) => {
    await onRequest?.();
    await onRequest?.(); // a retry
    return { usage };
  };
  expect(await payFor(options, demand, estimate, call)).toEqual({ usage });
  expect({ counted, sent }).toEqual({ counted: [[0.5, 0.25]], sent: ['asked', 'asked'] });
});

test('sends no request that a budget does not cover', async () => {
  const { options, counted, sent } = open(0.4);
  const call = async ({ onRequest }: CallOptions) => {
    await onRequest?.();
    sent.push('sent');
    return { usage };
  };
  await expect(payFor(options, demand, estimate, call)).rejects.toMatchObject({ code: 'budget_exceeded' });
  expect({ counted, sent }).toEqual({ counted: [], sent: [] });
});

test('a failed call costs nothing, unless it was answered or cancelled', async () => {
  const fail = async ({ onRequest }: CallOptions): Promise<{ usage: typeof usage }> => {
    await onRequest?.();
    throw new Error('failed');
  };
  const failed = open();
  await expect(payFor(failed.options, demand, estimate, fail)).rejects.toThrow('failed');
  expect(failed.counted).toEqual([[0.5, 0]]);

  const cancelled = open();
  cancelled.controller.abort();
  await expect(payFor(cancelled.options, demand, estimate, fail)).rejects.toThrow('failed');
  expect(cancelled.counted).toEqual([[0.5, 0.375]]);
  expect(cancelled.unfinished).toEqual([estimate()]);

  const answered = open();
  const stream = async function* ({ onRequest }: CallOptions) {
    await onRequest?.();
    yield 'text';
    throw new Error('failed');
  };
  await expect(Array.fromAsync(payForStream(answered.options, demand, stream, () => undefined))).rejects.toThrow();
  expect(answered.counted).toEqual([[0.5, null]]);
});

test('an answer in parts costs what its last part says', async () => {
  const { options, counted } = open();
  const stream = async function* ({ onRequest }: CallOptions) {
    await onRequest?.();
    yield 'text';
    yield 0.125;
  };
  const costOf = (part: string | number) => (typeof part === 'number' ? part : undefined);
  expect(await Array.fromAsync(payForStream(options, demand, stream, costOf))).toEqual(['text', 0.125]);
  expect(counted).toEqual([[0.5, 0.125]]);
});

test('requests of one call that run at once reserve once', async () => {
  const { options, counted } = open();
  const call = async ({ onRequest }: CallOptions) => {
    await Promise.all([onRequest?.(), onRequest?.(), onRequest?.()]);
    return { usage };
  };
  let reserved = 0;
  const spending = {
    ...options.spending!,
    async reserve() {
      reserved += 1;
    },
  };
  await payFor({ ...options, spending }, demand, estimate, call);
  expect({ reserved, counted }).toEqual({ reserved: 1, counted: [[0.5, 0.25]] });
});
