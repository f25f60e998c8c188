import { expectedText } from '@chorus/testing';
import OpenAI, { toFile } from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

const person = z.object({ name: z.string(), age: z.number() });

export function openAiNodeJourneys(getEndpoint: () => Endpoint): void {
  let openai: OpenAI;
  let other: OpenAI;

  beforeAll(() => {
    const { baseURL, otherBaseURL, apiKey } = getEndpoint();
    openai = new OpenAI({ baseURL, apiKey });
    other = new OpenAI({ baseURL: otherBaseURL, apiKey });
  });

  const messages = [{ role: 'user' as const, content: 'How is the weather in Paris?' }];
  const tool = {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'The current weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  };

  it('lists models, and gets one', async () => {
    const listed = async () => {
      const ids: string[] = [];
      for await (const { id } of openai.models.list()) ids.push(id);
      return ids;
    };
    // A worker reads its providers' model lists after it starts.
    await expect.poll(listed, { timeout: 10_000 }).toContain('compatible/echo');
    expect(await listed()).toContain('embedded/assistant');
    expect(await openai.models.retrieve('embedded/assistant')).toEqual({
      id: 'embedded/assistant',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'embedded',
    });
  });

  it.each(['compatible/call-weather', 'openai/call-weather'])(
    'runs tools with %s, waited and streamed',
    async (model) => {
      for (const stream of [false, true]) {
        const asked: unknown[] = [];
        const runner = openai.chat.completions.runTools({
          model,
          messages,
          stream,
          tools: [
            {
              type: 'function',
              function: {
                ...tool.function,
                parse: JSON.parse,
                function: (input: { city: string }) => {
                  asked.push(input);
                  return 'sunny, 21 °C';
                },
              },
            },
          ],
        } as Parameters<typeof openai.chat.completions.runTools>[0]);
        expect(await runner.finalContent()).toContain('sunny, 21 °C');
        expect(asked).toEqual([{ city: expect.any(String) }]);
      }
    },
  );

  it('parses an answer by a schema', async () => {
    const completion = await openai.chat.completions.parse({
      model: 'compatible/json',
      messages,
      response_format: zodResponseFormat(person, 'person'),
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ name: expect.any(String), age: expect.any(Number) });
  });

  it('shows reasoning and refusals', async () => {
    const thought = await openai.chat.completions.create({ model: 'compatible/think', messages });
    expect(thought.choices[0]?.message).toMatchObject({ reasoning_content: expect.stringMatching(/\w/) });
    const refused = await openai.chat.completions.create({ model: 'compatible/refuse-politely', messages });
    expect(refused.choices[0]?.message).toMatchObject({ content: null, refusal: expect.stringMatching(/\w/) });
  });

  it('runs a background response, which another process resumes', async () => {
    const stream = await openai.responses.create({
      model: 'compatible/words-60-delay-10',
      input: 'Tell me something.',
      background: true,
      stream: true,
    });
    const seen: string[] = [];
    let id = '';
    let last = -1;
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') seen.push(event.delta);
      last = event.sequence_number;
      if (seen.length === 3) break;
    }
    const rest = await other.responses.retrieve(id, { stream: true, starting_after: last });
    let end: string | null = null;
    for await (const event of rest) {
      expect(event.sequence_number).toBe(++last);
      if (event.type === 'response.output_text.delta') seen.push(event.delta);
      if (event.type === 'response.completed') end = event.response.output_text ?? '';
    }
    expect(end).not.toBeNull();
    expect(seen.join('')).toBe(expectedText('words-60'));
    const stored = await other.responses.retrieve(id);
    expect(stored).toMatchObject({ id, status: 'completed', output_text: expectedText('words-60') });
  });

  it('parses a response by a schema, and continues one with a tool result', async () => {
    const parsed = await openai.responses.parse({
      model: 'compatible/json',
      input: 'Who is it?',
      text: { format: zodTextFormat(person, 'person') },
    });
    expect(parsed.output_parsed).toEqual({ name: expect.any(String), age: expect.any(Number) });
    const { name, description, parameters } = tool.function;
    const tools = [{ type: 'function' as const, name, description, parameters, strict: false }];
    const asked = await openai.responses.create({
      model: 'compatible/call-weather',
      input: 'Weather in Paris?',
      tools,
    });
    const call = asked.output.find((item) => item.type === 'function_call');
    if (call === undefined) throw new Error(`no call in ${JSON.stringify(asked.output)}`);
    const answered = await openai.responses.create({
      model: 'compatible/call-weather',
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny, 21 °C' }],
      tools,
    });
    expect(answered.output_text).toContain('sunny, 21 °C');
  });

  it('embeds texts', async () => {
    const { data, usage } = await openai.embeddings.create({
      model: 'embedded/use-lite',
      input: ['a cat', 'a kitten', 'an invoice'],
    });
    const [cat, kitten, invoice] = data.map(({ embedding }) => embedding) as [number[], number[], number[]];
    const alike = (one: number[], another: number[]) =>
      one.reduce((sum, value, index) => sum + value * (another[index] ?? 0), 0);
    expect(alike(cat, kitten)).toBeGreaterThan(alike(cat, invoice));
    expect(usage.total_tokens).toBeGreaterThan(0);
  });

  it('makes an image', async () => {
    const { data } = await openai.images.generate({
      model: 'embedded/canvas',
      prompt: 'A red balloon over the sea',
      size: '256x256',
      response_format: 'b64_json',
    });
    const bytes = Buffer.from(data?.[0]?.b64_json ?? '', 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  it('speaks, and transcribes what it said', async () => {
    const speech = await openai.audio.speech.create({
      model: 'embedded/flite',
      voice: 'alloy',
      input: 'Good morning.',
      response_format: 'wav',
    });
    const wav = await speech.arrayBuffer();
    const heard = await openai.audio.transcriptions.create({
      model: 'embedded/moonshine',
      file: await toFile(Buffer.from(wav), 'speech.wav'),
    });
    expect(heard.text.toLowerCase()).toContain('good morning');
  });

  it('runs a batch from a file', async () => {
    const lines = ['one', 'two', 'three'].map((content, index) =>
      JSON.stringify({
        custom_id: `line-${index}`,
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: 'compatible/echo', messages: [{ role: 'user', content }] },
      }),
    );
    const file = await openai.files.create({
      file: await toFile(Buffer.from(lines.join('\n')), 'batch.jsonl'),
      purpose: 'batch',
    });
    const { id } = await openai.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await expect
      .poll(async () => (await openai.batches.retrieve(id)).status, { timeout: 30_000, interval: 100 })
      .toBe('completed');
    const batch = await openai.batches.retrieve(id);
    expect(batch.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
    const output = await (await openai.files.content(batch.output_file_id as string)).text();
    const results = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map((line) => [line.custom_id, line.response.body.choices[0].message.content]).sort()).toEqual([
      ['line-0', 'one'],
      ['line-1', 'two'],
      ['line-2', 'three'],
    ]);
  });

  it('throws its classes of errors', async () => {
    const stranger = new OpenAI({ baseURL: getEndpoint().baseURL, apiKey: 'chk_wrong', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(openai.chat.completions.create({ model: 'nobody/knows', messages })).rejects.toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      param: 'model',
    });
    await expect(openai.responses.retrieve('resp_unknown')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const tools = [tool];
    await expect(
      openai.chat.completions.create({ model: 'embedded/assistant', messages, tools }),
    ).rejects.toMatchObject({ status: 400, param: 'tools', message: expect.stringContaining('embedded/assistant') });
  });
}
