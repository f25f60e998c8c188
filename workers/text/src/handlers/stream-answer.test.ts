import type { Usage } from '@chorus/contract';
import type { Providers } from '@chorus/providers';
import { sumUsage } from '@chorus/providers/usage';
import type { JobContext } from '@chorus/worker-kit';
import { expect, test } from 'vitest';
import { streamParts } from './stream-answer.ts';

type Known = Parameters<JobContext<'chat.completion'>['note']>[0];

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
  expect(noted.at(-1)).toMatchObject({ usage: { ...whole, cost_usd: 1.25 } });
});

test('notes from the request on what an answer has used, in case its worker dies', async () => {
  const asked = { input_tokens: 104, output_tokens: 0, total_tokens: 104, cost_usd: 0.5, estimated: true };
  const reported = { input_tokens: 90, output_tokens: 2, total_tokens: 92, cost_usd: 0.1 };
  let unsaved: (() => Usage) | null = null;
  const seen: (Usage | null)[] = [];
  const look = () => seen.push(unsaved?.() ?? null);
  const streamChat: Providers['streamChat'] = async function* (_call, { onSent, onUnfinished }) {
    let output_tokens = 0;
    look();
    onSent?.(() => ({ ...asked, output_tokens }));
    look();
    output_tokens = 2;
    yield { type: 'text', text: 'Hello' };
    look();
    onUnfinished?.({ ...asked, output_tokens });
    yield { type: 'fallback', model: 'compatible/y', reset: true };
    look();
    onSent?.(() => asked);
    look();
    yield { type: 'finish', finish_reason: 'stop', usage: reported };
  };
  const job = {
    owner: { scope: 'personal' as const, user_id: 'u', workspace_id: null },
    caller: { executionId: 'job_x', user: 'ada', isBatch: false },
    signal: new AbortController().signal,
    emit: () => undefined,
    note: (known: Known) => {
      if (known.unsaved !== undefined) unsaved = known.unsaved;
    },
  };
  const messages = [{ role: 'user' as const, content: 'x'.repeat(300) }];
  const limits = { fallbacks: undefined, mayReset: true, endsAt: Number.POSITIVE_INFINITY };
  await streamParts({ streamChat }, job, { model: 'compatible/x', messages, settings: {}, ...limits });
  look();
  const first = { ...asked, output_tokens: 2 };
  expect(seen).toEqual([null, asked, first, first, sumUsage(first, asked), sumUsage(first, reported)]);
});
