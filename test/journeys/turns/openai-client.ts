import { expectedText } from '@chorus/testing';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '../platform.ts';

export function openAiClientJourneys(getPlatform: () => Platform): void {
  let platform: Platform;
  let openai: OpenAI;

  beforeAll(() => {
    platform = getPlatform();
    openai = clientWith(platform.client.token);
  });

  const clientWith = (apiKey: string) =>
    new OpenAI({
      baseURL: `${platform.apis[0]?.url}/api/v1`,
      apiKey,
      defaultHeaders: { 'X-Scope-Type': 'personal' },
    });

  const requestsFor = (model: string) =>
    platform.fake.requests.filter((request) => request.model === model.slice(model.indexOf('/') + 1));

  const messages = [{ role: 'user' as const, content: 'Tell me something.' }];

  describe("OpenAI's own client", () => {
    it('gets a waited answer', async () => {
      const model = 'compatible/words-30';
      const completion = await openai.chat.completions.create({ model, messages, temperature: 0.5, max_tokens: 100 });
      expect(completion).toMatchObject({
        object: 'chat.completion',
        model,
        choices: [
          { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: expectedText('words-30') } },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 30, total_tokens: 33 },
      });
      expect(requestsFor(model)[0]?.body).toMatchObject({ temperature: 0.5, max_tokens: 100 });
    });

    it('gets a waited answer through the Responses API of the provider openai', async () => {
      const completion = await openai.chat.completions.create({ model: 'openai/words-12', messages });
      expect(completion.choices[0]?.message.content).toBe(expectedText('words-12'));
      expect(requestsFor('openai/words-12')[0]?.path).toBe('/v1/responses');
    });

    it('gets a streamed answer', async () => {
      const model = 'compatible/words-100-delay-5';
      const stream = await openai.chat.completions.create({ model, messages, stream: true });
      let text = '';
      let chunks = 0;
      const reasons: string[] = [];
      const roles: string[] = [];
      for await (const chunk of stream) {
        expect(chunk.object).toBe('chat.completion.chunk');
        // Typical clients read `choices[0].delta` of every chunk.
        expect(chunk.choices).toHaveLength(1);
        const choice = chunk.choices[0] as OpenAI.ChatCompletionChunk.Choice;
        if (choice.delta.content) chunks += 1;
        text += choice.delta.content ?? '';
        if (choice.finish_reason) reasons.push(choice.finish_reason);
        if (choice.delta.role) roles.push(choice.delta.role);
      }
      expect(text).toBe(expectedText('words-100'));
      // The number of chunks depends on the machine's load.
      expect(chunks).toBeGreaterThan(1);
      expect(reasons).toEqual(['stop']);
      expect(roles).toEqual(['assistant']);
    });

    it('gets a streamed answer through its .stream() helper', async () => {
      const stream = openai.chat.completions.stream({
        model: 'compatible/words-40-delay-1',
        messages,
        stream_options: { include_usage: true },
      });
      const deltas: string[] = [];
      stream.on('content', (delta) => deltas.push(delta));
      const completion = await stream.finalChatCompletion();
      expect(completion.choices[0]?.message.content).toBe(expectedText('words-40'));
      expect(completion.choices[0]?.finish_reason).toBe('stop');
      expect(deltas.join('')).toBe(expectedText('words-40'));
      expect((await stream.totalUsage()).completion_tokens).toBe(40);
    });

    it('gets finish_reason length at the token limit, waited and streamed', async () => {
      const request = { model: 'compatible/words-50', messages, max_completion_tokens: 5 };
      const waited = await openai.chat.completions.create(request);
      expect(waited.choices[0]?.finish_reason).toBe('length');
      const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
      expect(streamed.choices[0]?.finish_reason).toBe('length');
      expect(streamed.choices[0]?.message.content).toBe(waited.choices[0]?.message.content);
    });

    it('lists models', async () => {
      const ids: string[] = [];
      for await (const model of openai.models.list()) ids.push(model.id);
      expect(ids).toEqual(expect.arrayContaining(['compatible/echo', 'embedded/assistant']));
    });

    it('accepts content in parts', async () => {
      const completion = await openai.chat.completions.create({
        model: 'compatible/echo',
        messages: [
          { role: 'developer', content: 'Repeat.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'one two ' },
              { type: 'text', text: 'three' },
            ],
          },
        ],
      });
      expect(completion.choices[0]?.message.content).toBe('one two three');
    });

    it('lists harmless ignored fields in X-Ignored-Fields', async () => {
      const { response } = await openai.chat.completions
        .create({ model: 'compatible/echo', messages, user: 'me', store: false, n: 1 })
        .withResponse();
      expect(response.headers.get('x-ignored-fields')?.split(', ').sort()).toEqual(['store']);
    });

    it('refuses unsupported fields that would change the answer, before queueing', async () => {
      const model = 'compatible/echo@refused';
      for (const field of [{ n: 2 }, { modalities: ['audio' as const] }]) {
        const refused = openai.chat.completions.create({ model, messages, ...field });
        await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining(model) });
        await expect(refused).rejects.toThrow(Object.keys(field)[0]);
      }
      const call = { id: 'c', type: 'function' as const, function: { name: 'warmth', arguments: '{}' } };
      const assistant = { role: 'assistant' as const, content: null, tool_calls: [call] };
      const result = { role: 'tool' as const, tool_call_id: call.id, content: '20 °C' };
      await expect(
        openai.chat.completions.create({ model, messages: [...messages, result, assistant] }),
      ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('messages.1.tool_call_id') });
      await expect(
        openai.chat.completions.create({ model: 'openai/gpt-5', messages, temperature: 0.2 }),
      ).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/temperature.*openai\/gpt-5/) });
      expect(requestsFor(model)).toEqual([]);
    });

    it('honours stream_options without naming it as ignored', async () => {
      const { data, response } = await openai.chat.completions
        .create({ model: 'compatible/words-5', messages, stream: true, stream_options: { include_usage: true } })
        .withResponse();
      expect(response.headers.get('x-ignored-fields')).toBeNull();
      let usage: OpenAI.CompletionUsage | null | undefined;
      for await (const chunk of data) usage = chunk.usage ?? usage;
      expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 });
    });

    it.each([
      ['fail-401', 502, 'provider_auth'],
      ['refuse', 400, 'content_refused'],
      ['context-too-long', 400, 'context_too_long'],
    ])('throws at once when no later request can succeed: %s', async (name, status, code) => {
      const model = `compatible/${name}@waited`;
      const error = await thrownBy(openai.chat.completions.create({ model, messages }));
      expect(error).toMatchObject({ status, code });
      expect(error.message).not.toContain('sk-fake-secret');
      expect(requestsFor(model)).toHaveLength(1);
    });

    it.each([
      ['fail-500', /^provider_(error|unavailable)$/],
      ['fail-429', /^provider_rate_limited$/],
      ['fail-503', /^provider_unavailable$/],
    ])('throws when the provider has failed for as long as a request may wait: %s', async (name, code) => {
      const model = `compatible/${name}@waited`;
      const error = await thrownBy(openai.chat.completions.create({ model, messages }, { maxRetries: 0 }));
      expect(error.code).toMatch(code);
      expect(error.message).not.toContain('sk-fake-secret');
      // Tried three times in place, and after a pause again.
      expect(requestsFor(model).length).toBeGreaterThanOrEqual(3);
    });

    it.each(['error-after-10', 'cut-after-10'])('throws mid-stream when the provider fails: %s', async (name) => {
      const model = `compatible/${name}-delay-2`;
      let text = '';
      const consume = async () => {
        const stream = await openai.chat.completions.create({ model, messages, stream: true });
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      };
      const error = await thrownBy(consume());
      expect(error.code).toBe('provider_error');
      expect(text).toBe(expectedText(name));
      expect(requestsFor(model)).toHaveLength(1);
    });

    it('throws from its .stream() helper when the provider fails mid-stream', async () => {
      const stream = openai.chat.completions.stream({ model: 'compatible/error-after-5', messages });
      const error = await thrownBy(stream.finalChatCompletion());
      expect(error.code).toBe('provider_error');
    });

    it('throws mid-stream when the execution is cancelled', async () => {
      const model = 'compatible/words-500-delay-20@cancelled';
      const stream = await openai.chat.completions.create({ model, messages, stream: true });
      const error = await thrownBy(
        (async () => {
          for await (const chunk of stream) {
            if (chunk.choices[0]?.delta.content) await platform.client.post(`/jobs/${chunk.id}/cancel`);
          }
        })(),
      );
      expect(error.code).toBe('cancelled');
    });

    it('throws an authentication error for an invalid token on the first response', async () => {
      const error = await thrownBy(
        clientWith('not-a-token').chat.completions.create({ model: 'compatible/echo', messages }),
      );
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ status: 401, code: 'unauthorized' });
    });

    it('throws for an unknown model', async () => {
      const error = await thrownBy(openai.chat.completions.create({ model: 'nobody/knows', messages }));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error.code).toBe('model_not_found');
    });
  });

  async function thrownBy(promise: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
    const settled = await promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (!('error' in settled)) throw new Error(`did not throw, but returned: ${JSON.stringify(settled.value)}`);
    if (!(settled.error instanceof OpenAI.APIError)) throw settled.error;
    return settled.error;
  }
}
