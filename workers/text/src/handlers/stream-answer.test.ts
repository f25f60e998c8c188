import type { Providers } from '@chorus/providers';
import { expect, test } from 'vitest';
import { streamParts } from './stream-answer.ts';

test('estimates the usage that a provider does not report, unless nothing was requested', async () => {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };
  const usageOf = async (requests: boolean) => {
    const streamChat: Providers['streamChat'] = async function* (_call, { onRequest }) {
      if (requests) onRequest?.();
      yield { type: 'text', text: 'Hello' };
      yield { type: 'finish', finish_reason: 'stop', usage };
    };
    const job = {
      owner: { scope: 'personal' as const, user_id: 'u', workspace_id: null },
      caller: { executionId: 'job_x', user: 'ada', isBatch: false },
      signal: new AbortController().signal,
      emit: () => undefined,
      note: () => undefined,
    };
    const messages = [{ role: 'user' as const, content: 'x'.repeat(300) }];
    const limits = { fallbacks: undefined, mayReset: true, endsAt: Number.POSITIVE_INFINITY };
    const call = { model: 'compatible/x', messages, settings: {}, ...limits };
    return (await streamParts({ streamChat }, job, call))?.usage;
  };
  expect(await usageOf(true)).toMatchObject({ input_tokens: 104, output_tokens: expect.any(Number), estimated: true });
  expect(await usageOf(false)).toEqual(usage);
});
