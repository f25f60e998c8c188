import { expectedText } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import { ask, calls, start } from '../test-providers.ts';

describe.each(['openai', 'compatible'])('%s', (provider) => {
  test.each(['hang', 'hang-after-5'])('%s ends in a timeout that closes the connection', async (model) => {
    const { fake, providers } = await start({ idleTimeoutMs: 300 });
    const { text, error } = await ask(providers, `${provider}/${model}`);
    expect(error).toMatchObject({ code: 'timeout' });
    expect(text).toBe(expectedText(model));
    expect(calls(fake)).toHaveLength(1);
    const { number } = calls(fake)[0]!;
    expect(await fake.closed(number)).toMatchObject({ finished: false });
  });

  test('a slow answer is not silence', async () => {
    const { providers } = await start({ idleTimeoutMs: 1_000 });
    const { text } = await ask(providers, `${provider}/words-15-delay-100`);
    expect(text).toBe(expectedText('words-15-delay-100'));
  });

  test('comments in the stream are not silence', async () => {
    const { providers } = await start({ idleTimeoutMs: 1_000 });
    const { text } = await ask(providers, `${provider}/words-3-start-1800-ping-100`);
    expect(text).toBe('w1 w2 w3');
  });

  test('a slow reader is not silence', async () => {
    const { providers } = await start({ idleTimeoutMs: 500 });
    const call = {
      model: `${provider}/flood-20000`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    let text = '';
    for await (const part of providers.streamChat(call, {
      signal: new AbortController().signal,
      executionId: 'job_test',
      mayReset: true,
    })) {
      // Longer than the timeout, with more data under way than the buffers hold.
      if (text === '') await new Promise((resolve) => setTimeout(resolve, 1_000));
      if (part.type === 'text') text += part.text;
    }
    expect(text).toBe(expectedText('flood-20000'));
  });

  test('an abort closes the connection and throws its reason', async () => {
    const { fake, providers } = await start();
    const controller = new AbortController();
    const reason = new Error('cancelled by the test');
    const call = {
      model: `${provider}/hang-after-3`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    const stream = providers
      .streamChat(call, { signal: controller.signal, executionId: 'job_test', mayReset: true })
      [Symbol.asyncIterator]();
    for (let text = ''; text !== 'w1 w2 w3'; ) text += ((await stream.next()).value as { text: string }).text;
    const waiting = stream.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await fake.closed(calls(fake)[0]!.number)).toMatchObject({ finished: false });
  });

  test('an abort closes the connection even without a reader', async () => {
    const { fake, providers } = await start();
    const controller = new AbortController();
    const call = {
      model: `${provider}/words-100000-delay-1`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    const stream = providers
      .streamChat(call, { signal: controller.signal, executionId: 'job_test', mayReset: true })
      [Symbol.asyncIterator]();
    await stream.next();
    controller.abort();
    expect(await fake.closed(calls(fake)[0]!.number)).toMatchObject({ finished: false });
    await expect(stream.next()).rejects.toThrow();
  });

  test('leaving the iteration closes the connection', async () => {
    const { fake, providers } = await start();
    const call = {
      model: `${provider}/hang-after-3`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    for await (const part of providers.streamChat(call, {
      signal: new AbortController().signal,
      executionId: 'job_test',
      mayReset: true,
    }))
      if (part.type === 'text') break;
    expect(await fake.closed(calls(fake)[0]!.number)).toMatchObject({ finished: false });
  });

  test('an abort before the answer, and in the pause before a retry, throws its reason', async () => {
    const { fake, providers } = await start();
    for (const model of ['hang', 'fail-500-retry-after-1']) {
      const controller = new AbortController();
      const reason = new Error(`reason of ${model}`);
      const seen = calls(fake).length;
      const answer = ask(providers, `${provider}/${model}`, { signal: controller.signal });
      await expect.poll(() => calls(fake).length).toBe(seen + 1);
      const { number } = calls(fake)[seen]!;
      if (model === 'hang') await fake.received(number);
      else await fake.closed(number);
      controller.abort(reason);
      expect((await answer).error).toBe(reason);
      await fake.closed(number);
      expect(calls(fake)).toHaveLength(seen + 1);
    }
    const aborted = AbortSignal.abort(new Error('before'));
    expect((await ask(providers, `${provider}/words-1`, { signal: aborted })).error).toBe(aborted.reason);
  });

  test('256 streams run at once, and connections are reused', async () => {
    const { fake, providers } = await start();
    // No stream ends before all have started, so a pool that holds some back never finishes.
    const begun = new Set<number>();
    const all = Promise.withResolvers<void>();
    const one = async (index: number) => {
      const call = {
        model: `${provider}/words-3-delay-20-seed-${index}`,
        messages: [{ role: 'user' as const, content: 'x' }],
        settings: {},
      };
      let text = '';
      for await (const part of providers.streamChat(call, {
        signal: new AbortController().signal,
        executionId: 'job_test',
        mayReset: true,
      })) {
        if (part.type !== 'text') continue;
        text += part.text;
        begun.add(index);
        if (begun.size === 256) all.resolve();
        await all.promise;
      }
      return text;
    };
    const texts = await Promise.all(Array.from({ length: 256 }, (_, index) => one(index)));
    expect(texts).toEqual(texts.map((_, index) => expectedText(`words-3-seed-${index}`)));
    const made = fake.connectionsMade();
    for (let index = 0; index < 20; index += 1) await ask(providers, `${provider}/words-2`);
    expect(fake.connectionsMade()).toBe(made);
  });
});
