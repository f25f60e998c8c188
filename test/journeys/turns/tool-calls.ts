import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EventStream, Frame, Payload } from '../event-stream.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { Transcript } from '../transcript.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { enum: ['celsius'] }, days: { type: 'array', minItems: 8 } },
};
const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
const ARGUMENTS = { city: 'Zürich', unit: 'celsius', days: Array.from({ length: 8 }, () => 'Zürich') };
const THOUGHT = 'Let me think about it.';

/** Thinks, starts a call, and goes silent. The second request with the same name gets all of it. */
const halfCall = (name: string) => `compatible/think-call-weather-delay-10-hang-after-10-once@${name}`;

let platform: Platform;

/** Reads a stream, checks the order of its frames, and adds up the calls as OpenAI's clients do. */
class CallReader {
  readonly frames: Frame[] = [];
  readonly transcript = new Transcript();
  readonly ended: Promise<void>;
  calls: Payload[] = [];
  reasoning = '';

  constructor(stream: EventStream, after = 0) {
    this.transcript.last = after;
    this.ended = this.#read(stream, after);
    this.ended.catch(() => undefined);
  }

  async #read(stream: EventStream, after: number): Promise<void> {
    for await (const frame of stream) {
      if (after === 0) this.transcript.add(frame);
      this.frames.push(frame);
      const { data } = frame;
      if (data === null) continue;
      expect(data.choices).toHaveLength(1);
      if (data.type === 'text.reset') {
        this.calls = [];
        this.reasoning = '';
      }
      const { delta } = data.choices[0];
      this.reasoning += delta.reasoning_content ?? '';
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        if (id === undefined) {
          // A reader that resumed in the middle of a call has not seen its beginning.
          if (after > 0) this.calls[index] ??= { arguments: '' };
          this.calls[index].arguments += called.arguments;
        } else {
          expect(index).toBe(this.calls.length);
          this.calls.push({ id, ...called });
        }
      }
    }
  }

  get lastSeq(): number {
    return this.frames.at(-1)?.data?.seq ?? 0;
  }

  get terminal(): Payload {
    return this.frames.findLast(({ data }) => data !== null)?.data;
  }
}

/** Removes differences between connections. */
const comparable = (frames: Frame[]) =>
  frames.map(({ id, data }) => {
    const text = JSON.stringify(data).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '');
    return { id, data: text.replace('"role":"assistant",', '') };
  });

/** Starts tool calls that stop in the middle. Returns the checks for the time after the worker's replacement. */
export async function startHalfCalls({ client, apis }: Platform): Promise<() => Promise<void>> {
  const turn = new CallReader(await client.stream({ message: 'Go.', model: halfCall('session'), tools }));
  const messages = [{ role: 'user', content: 'Go.' }];
  const strict = new CallReader(await client.stream({ messages, model: halfCall('messages'), tools }));
  const isHalf = ({ calls }: CallReader) => (calls[0]?.arguments.length ?? 0) > 12;
  await poll('half of each call is shown', () => isHalf(turn) && isHalf(strict));
  const [half, after] = [structuredClone(strict.calls), turn.lastSeq - 1];
  const id = turn.frames[0]?.data.execution_id;
  const resumed = new CallReader(await client.events(id, after, { url: apis[1]?.url ?? '' }), after);

  return async () => {
    await Promise.all([turn.ended, strict.ended, resumed.ended]);
    expect(turn.transcript.resets).toMatchObject([{ reason: 'worker_lost' }]);
    expect(turn.terminal).toMatchObject({
      type: 'execution.succeeded',
      choices: [{ finish_reason: 'tool_calls' }],
      execution: { status: 'succeeded', attempt: 2, choices: [{ message: { content: null } }] },
    });
    expect(turn.reasoning).toBe(THOUGHT);
    const [call, ...others] = turn.calls;
    expect(others).toEqual([]);
    expect(JSON.parse(call.arguments)).toEqual(ARGUMENTS);
    const { output, session_id } = turn.terminal.execution;
    expect(output).toMatchObject([
      { type: 'reasoning', text: THOUGHT },
      { type: 'tool_call', id: call.id, name: 'weather', arguments: call.arguments, status: 'requested' },
    ]);
    expect(await client.messages(session_id)).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        status: 'succeeded',
        tool_calls: [{ id: call.id, function: { arguments: call.arguments } }],
      },
    ]);
    expect(comparable(resumed.frames)).toEqual(comparable(turn.frames.slice(after)));

    // OpenAI's clients keep the shown half and get an error.
    expect(strict.transcript.resets).toEqual([]);
    // More of the call may have come between the copy and the kill.
    const [kept] = strict.calls;
    expect(strict.calls).toEqual([{ ...half[0], arguments: kept.arguments }]);
    expect(kept.arguments.startsWith(half[0].arguments)).toBe(true);
    expect(() => JSON.parse(kept.arguments)).toThrow();
    expect(strict.terminal).toMatchObject({
      type: 'execution.failed',
      error: { code: 'worker_lost' },
      execution: {
        status: 'failed',
        attempt: 2,
        output: [{ type: 'reasoning' }, { type: 'tool_call', arguments: kept.arguments }],
      },
    });
    const isEnd = ({ data }: Frame) => data?.type.startsWith('execution.') && 'execution' in data;
    for (const { frames } of [turn, strict]) expect(frames.filter(isEnd)).toHaveLength(1);
  };
}

export function toolCallsJourneys(getPlatform: () => Platform): void {
  beforeAll(() => {
    platform = getPlatform();
  });

  describe('a stored stream', () => {
    it('resumes in the middle of a call with the same frames, from another process', async () => {
      const { client, apis } = platform;
      const model = 'compatible/think-call-two-delay-10@resumed';
      const whole = new CallReader(await client.stream({ message: 'Go.', model, tools }));
      await whole.ended;
      expect(whole.calls.map(({ arguments: text }) => JSON.parse(text))).toEqual([ARGUMENTS, ARGUMENTS]);
      const id = whole.frames[0]?.data.execution_id;
      for (const { data } of whole.frames.slice(0, -1)) {
        const rest = await (await client.events(id, data.seq, { url: apis[1]?.url ?? '' })).frames();
        expect(comparable(rest)).toEqual(comparable(whole.frames.slice(data.seq)));
      }
    });
  });

  describe('a session', () => {
    it('continues with the results of its tools', async () => {
      const { client, fake } = platform;
      const model = 'compatible/think-call-weather-steps-2@session';
      const first = (await client.chat({ message: 'How is the weather?', model, tools })).body;
      const { session_id } = first;
      const outputsOf = ({ choices }: Payload, output: string) =>
        choices[0].message.tool_calls.map(({ id }: Payload) => ({ tool_call_id: id, output }));
      const second = (await client.chat({ session_id, model, tools, tool_outputs: outputsOf(first, 'rain') })).body;
      const last = (await client.chat({ session_id, model, tools, tool_outputs: outputsOf(second, 'wind') })).body;
      expect(last.choices[0].message.content).toBe('The result is rain and wind');
      const sent = fake.requests.findLast((request) => request.model === model.split('/')[1])?.body.messages;
      expect(sent).toMatchObject([
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ function: { name: 'weather' } }] },
        { role: 'tool', content: 'rain', tool_call_id: first.choices[0].message.tool_calls[0].id },
        { role: 'assistant', tool_calls: [{ function: { name: 'weather' } }] },
        { role: 'tool', content: 'wind' },
      ]);
      const roles = (await client.messages(session_id)).map(({ role }) => role);
      expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
      const next = (await client.chat({ session_id, model: 'compatible/echo@after', message: 'Thanks' })).body;
      expect(next.choices[0].message.content).toBe('Thanks');
    });
  });

  describe("OpenAI's client", () => {
    it('runs tools, and reads JSON, refusals and token details', async () => {
      const { client, apis } = platform;
      const openai = new OpenAI({
        baseURL: `${apis[0]?.url}/api/v1`,
        apiKey: client.token,
        defaultHeaders: { 'X-Scope-Type': 'personal' },
      });
      const messages = [{ role: 'user' as const, content: 'How is the weather?' }];
      const asked: unknown[] = [];
      const runner = openai.chat.completions.runTools({
        model: 'compatible/call-weather@runner',
        messages,
        stream: true,
        tools: [
          {
            type: 'function',
            function: {
              name: 'weather',
              description: 'The weather of a city',
              parameters,
              parse: JSON.parse,
              function: (given: object) => {
                asked.push(given);
                return 'rain';
              },
            },
          },
        ],
      });
      expect(await runner.finalContent()).toBe('The result is rain');
      expect(asked).toEqual([ARGUMENTS]);

      const schema = { type: 'object', properties: { city: { type: 'string' } } };
      const json = await openai.chat.completions.create({
        model: 'compatible/think-json-cached-2@json',
        messages,
        response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
      });
      expect(JSON.parse(json.choices[0]?.message.content ?? '')).toEqual({ city: 'Zürich' });
      expect(json.usage).toMatchObject({
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 5 },
      });
      const refused = await openai.chat.completions.create({ model: 'compatible/refuse-politely@polite', messages });
      expect(refused.choices[0]?.message).toMatchObject({
        content: null,
        refusal: expect.stringMatching(/^I'm sorry/),
      });
    });
  });
}
