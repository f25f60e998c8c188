import type { Usage } from '@chorus/contract';
import type { Providers } from '@chorus/providers';
import { expect, test } from 'vitest';
import { streamParts } from './stream-answer.ts';

const usageOf = (cost_usd: number): Usage => ({ input_tokens: 10, output_tokens: 5, total_tokens: 15, cost_usd });

test('adds the usage of requests that ended before their provider reported it', async () => {
  const noted: unknown[] = [];
  const run = async (fails: boolean) => {
    const streamChat: Providers['streamChat'] = async function* (_call, { onUnfinished }) {
      yield { type: 'text', text: 'Hello' };
      onUnfinished?.({ ...usageOf(0.25), estimated: true });
      if (fails) throw new Error('failed');
      yield { type: 'fallback', model: 'compatible/y', reset: true };
      yield { type: 'text', text: 'Hello' };
      yield { type: 'finish', finish_reason: 'stop', usage: usageOf(0.5) };
    };
    const job = {
      owner: { scope: 'personal' as const, user_id: 'u', workspace_id: null },
      caller: { executionId: 'job_x', user: 'ada', isBatch: false },
      signal: new AbortController().signal,
      emit: () => undefined,
      note: (known: object) => void noted.push(known),
    };
    const messages = [{ role: 'user' as const, content: 'x'.repeat(300) }];
    const limits = { fallbacks: undefined, mayReset: true, endsAt: Number.POSITIVE_INFINITY };
    const call = { model: 'compatible/x', messages, settings: {}, ...limits, spent: usageOf(1) };
    return (await streamParts({ streamChat }, job, call))?.usage;
  };
  const whole = { input_tokens: 20, output_tokens: 10, total_tokens: 30, estimated: true };
  expect(await run(false)).toEqual({ ...whole, cost_usd: 0.75 });
  await expect(run(true)).rejects.toThrow('failed');
  expect(noted.at(-1)).toEqual({ usage: { ...whole, cost_usd: 1.25 } });
});
