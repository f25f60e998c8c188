import { expectedText, standardEventIssues, standardIssues } from '@chorus/testing';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { expect } from 'vitest';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';

const tools: OpenAI.Responses.FunctionTool[] = [
  {
    type: 'function',
    name: 'weather',
    strict: false,
    parameters: { type: 'object', properties: { days: { type: 'array', items: { type: 'string' }, minItems: 8 } } },
  },
];

let clients: OpenAI[];

const clientOf = (api: number): OpenAI => clients[api] as OpenAI;

/** Reads a stream, and checks each event and its number. */
class EventReader {
  readonly events: ResponseStreamEvent[] = [];
  readonly ended: Promise<void>;
  /** Set if the stream ended with an error. */
  error: unknown = null;

  constructor(stream: AsyncIterable<ResponseStreamEvent>, after = -1) {
    this.ended = this.#read(stream, after);
  }

  async #read(stream: AsyncIterable<ResponseStreamEvent>, after: number): Promise<void> {
    try {
      for await (const event of stream) {
        expect(event.sequence_number).toBe(after + 1 + this.events.length);
        expect(standardEventIssues(event)).toEqual([]);
        this.events.push(event);
      }
    } catch (error) {
      this.error = error;
    }
  }

  /** The response of the last event. */
  get final(): OpenAI.Responses.Response {
    const last = this.events.at(-1);
    if (last === undefined || !('response' in last)) throw new Error('the stream did not end with a response');
    return last.response;
  }

  get id(): string {
    const [first] = this.events;
    return first && 'response' in first ? first.response.id : '';
  }

  deltas(type: 'response.output_text.delta' | 'response.function_call_arguments.delta'): string[] {
    return this.events.flatMap((event) => (event.type === type ? [event.delta] : []));
  }

  done(): OpenAI.Responses.ResponseOutputItem[] {
    return this.events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
  }
}

const start = async (model: string, more: Partial<OpenAI.Responses.ResponseCreateParamsStreaming> = {}) =>
  new EventReader(await clientOf(0).responses.create({ model, input: 'Go.', ...more, stream: true }));

const resume = async (id: string, after: number) =>
  new EventReader(
    await clientOf(1).responses.retrieve(id, { stream: true, ...(after >= 0 && { starting_after: after }) }),
    after,
  );

/** Starts responses that stop in the middle. Returns the checks for the time after the worker's replacement. */
export async function startHalfResponses(platform: Platform): Promise<() => Promise<void>> {
  clients = platform.apis.map(
    ({ url }) => new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: platform.client.token, maxRetries: 0 }),
  );
  const halfText = 'compatible/words-250-delay-20-hang-after-60-once';
  const halfCall = 'compatible/call-weather-delay-10-hang-after-10-once';
  const text = await start(`${halfText}@background`, { background: true });
  const call = await start(`${halfCall}@background`, { background: true, tools });
  const strict = await start(`${halfCall}@strict`, { tools });
  const waited = clientOf(0).responses.create({ model: `${halfText}@waited`, input: 'Go.' });
  const polled = await clientOf(0).responses.create({ model: `${halfText}@polled`, input: 'Go.', background: true });
  expect(polled.status).toBe('queued');
  waited.catch(() => undefined);
  // A busy machine joins deltas, so their number is meaningless.
  const argumentsOf = (reader: EventReader) => reader.deltas('response.function_call_arguments.delta').join('');
  const isHalf = (reader: EventReader) => argumentsOf(reader).length > 8;
  await poll('half of each is shown', () => {
    const words = text.deltas('response.output_text.delta').join('').split(' ').length;
    return words >= 30 && isHalf(call) && isHalf(strict);
  });
  const after = text.events.length - 3;
  const resumed = await resume(text.id, after);

  return async () => {
    await Promise.all([text, call, strict, resumed].map(({ ended }) => ended));

    // The text starts over as another item. All readers get the same events and the same end.
    expect(text.final).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: expectedText('words-250') }] }],
    });
    expect(text.done()).toMatchObject([{ status: 'incomplete' }, text.final.output[0]]);
    expect(resumed.events).toEqual(text.events.slice(after + 1));
    const replayed = await resume(text.id, -1);
    await replayed.ended;
    expect(replayed.events).toEqual(text.events);
    const { output_text, ...stored } = await clientOf(1).responses.retrieve(text.id);
    expect([output_text, stored]).toEqual([expectedText('words-250'), text.final]);
    expect(standardIssues('ResponseResource', stored)).toEqual([]);

    // There is one whole call. Its id differs from the half one's, so that clients can tell them apart.
    const [halfDone, whole] = call.done() as OpenAI.Responses.ResponseFunctionToolCall[];
    expect(halfDone?.status).toBe('incomplete');
    expect(call.final.output).toEqual([whole]);
    expect(whole?.call_id).not.toBe(halfDone?.call_id);
    expect(JSON.parse(whole?.arguments ?? '')).toEqual({ days: expect.any(Array) });
    const helper = await clientOf(1).responses.stream({ response_id: call.id }).finalResponse();
    expect(helper.output).toMatchObject(call.final.output);
    const next = await clientOf(0).responses.create({
      model: 'compatible/call-weather',
      input: [{ type: 'function_call_output', call_id: whole?.call_id ?? '', output: 'rain' }],
      previous_response_id: call.id,
      tools,
    });
    expect(next.output_text).toBe('The result is rain');

    // Clients of other streams cannot take the half call back: they get an error and keep the half.
    expect(strict.error).toMatchObject({ code: 'worker_lost' });
    const half = argumentsOf(strict);
    expect(() => JSON.parse(half)).toThrow();
    expect(await clientOf(1).responses.retrieve(strict.id)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
      output: [{ type: 'function_call', status: 'incomplete', arguments: half }],
    });

    await poll(
      'the polled one ends',
      async () => (await clientOf(1).responses.retrieve(polled.id)).status === 'completed',
    );
    for (const response of [await waited, await clientOf(1).responses.retrieve(polled.id)])
      expect([response.status, response.output_text]).toEqual(['completed', expectedText('words-250')]);
  };
}
