import { ChorusError, type Usage } from '@chorus/contract';
import { expect, test } from 'vitest';
import { gatherEmbeddings, sharesOf } from './gather-embeddings.ts';

type Embed = Parameters<typeof gatherEmbeddings>[0];

const usage = (input_tokens: number): Usage => ({
  input_tokens,
  output_tokens: 0,
  total_tokens: input_tokens,
  cost_usd: null,
});

/** An encoder whose calls end when the test ends them. A text's vector is its number. */
function startEncoder(refuses: (texts: readonly string[]) => ChorusError | null = () => null) {
  const calls: { texts: readonly string[]; signal: AbortSignal; end: () => void }[] = [];
  const embed: Embed = async ({ texts }, { signal }) => {
    const ended = Promise.withResolvers<void>();
    calls.push({ texts, signal, end: ended.resolve });
    signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
    await ended.promise;
    const error = refuses(texts);
    if (error !== null) throw error;
    return { vectors: texts.map((text) => Float32Array.of(Number(text))), dimensions: 1, usage: usage(texts.length) };
  };
  const gathered = gatherEmbeddings(embed);
  const ask = (texts: string[], user = 'a', signal = new AbortController().signal) =>
    gathered({ model: 'embedded/test', texts, purpose: 'document' }, { signal, executionId: 'job_x', user });
  const numbers = async (asked: ReturnType<typeof ask>) => (await asked).vectors.map(([number]) => number);
  const endAll = async () => {
    for (let at = 0; at < calls.length; at += 1) {
      calls[at]?.end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { calls, ask, numbers, endAll };
}

test('joins calls of a user that arrive while others run', async () => {
  const { calls, ask, numbers, endAll } = startEncoder();
  const asked = Array.from({ length: 12 }, (_, at) => ask([String(at)]));
  const other = ask(['100', '101'], 'b');
  const large = ask(Array.from({ length: 8 }, (_, at) => String(200 + at)));
  await endAll();
  expect(await Promise.all(asked.map(numbers))).toEqual(asked.map((_, at) => [at]));
  expect(await numbers(other)).toEqual([100, 101]);
  expect(await numbers(large)).toHaveLength(8);
  // Two at once; the texts that wait share calls of up to eight.
  expect(calls.map(({ texts }) => texts.length)).toEqual([1, 1, 2, 8, 8, 2]);
  expect((await asked[5])?.usage).toEqual(usage(1));
});

test('gives each call its own error, and does not repeat an outage for each', async () => {
  const refused = startEncoder((texts) =>
    texts.includes('5') ? new ChorusError('invalid_request', 'Not this text.') : null,
  );
  const asked = Array.from({ length: 7 }, (_, at) => refused.ask([String(at)]));
  const settled = Promise.allSettled(asked);
  await refused.endAll();
  expect((await settled).map(({ status }) => status)).toEqual(
    asked.map((_, at) => (at === 5 ? 'rejected' : 'fulfilled')),
  );

  const down = startEncoder(() => new ChorusError('provider_error', 'It is down.'));
  const lost = Promise.allSettled(Array.from({ length: 7 }, (_, at) => down.ask([String(at)])));
  await down.endAll();
  expect((await lost).every(({ status }) => status === 'rejected')).toBe(true);
  expect(down.calls).toHaveLength(3);
});

test('stops a shared call when all of its callers have left', async () => {
  const { calls, ask, endAll } = startEncoder();
  const [one, other] = [new AbortController(), new AbortController()];
  const first = [ask(['1']), ask(['2'])];
  const shared = [ask(['3'], 'a', one.signal), ask(['4'], 'a', other.signal)];
  const gone = ask(['5'], 'a', AbortSignal.abort(new Error('gone')));
  const settled = Promise.allSettled([...shared, gone]);
  calls[0]?.end();
  await first[0];
  await expect.poll(() => calls.length).toBe(3);
  expect(calls[2]?.texts).toEqual(['3', '4']);
  one.abort(new Error('left'));
  expect(calls[2]?.signal.aborted).toBe(false);
  other.abort(new Error('left'));
  expect(calls[2]?.signal.aborted).toBe(true);
  expect((await settled).map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
    'left',
    'left',
    'gone',
  ]);
  await endAll();
});

test('divides usage by length without losing any', () => {
  const shares = sharesOf({ input_tokens: 10, output_tokens: 0, total_tokens: 10, cost_usd: 1 }, [1, 1, 1]);
  expect(shares.map(({ input_tokens }) => input_tokens)).toEqual([3, 4, 3]);
  expect(shares.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)).toBeCloseTo(1);
  expect(sharesOf(usage(4), [3, 1]).map(({ cost_usd, total_tokens }) => [cost_usd, total_tokens])).toEqual([
    [null, 3],
    [null, 1],
  ]);
});
