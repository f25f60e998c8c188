import { standardEventIssues, standardIssues } from '@chorus/testing';
import OpenAI from 'openai';
import { expect } from 'vitest';
import type { TestApi } from '../../test-api.ts';
import type { ResponseEvent } from './response-events.ts';

type Called = Pick<TestApi, 'url' | 'call'>;

export const openAi = ({ url }: Pick<TestApi, 'url'>, apiKey: string) =>
  new OpenAI({ baseURL: `${url}/openai/v1`, apiKey, maxRetries: 0 });

/** Creates a response, which must be valid by the standard. */
export async function respond(api: Called, body: object, headers: Record<string, string> = {}) {
  const answer = await api.call('POST', '/openai/v1/responses', { body, headers });
  if (answer.status === 200) expect(standardIssues('ResponseResource', answer.body)).toEqual([]);
  return answer;
}

/** Opens a stream of events, each of which must be valid by the standard. */
export async function openStream(
  { url }: Pick<TestApi, 'url'>,
  path: string,
  { token, body, headers = {}, signal }: StreamOptions,
): Promise<AsyncGenerator<ResponseEvent>> {
  const answer = await fetch(`${url}/openai/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  return events(answer);
}

interface StreamOptions {
  token: string;
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function* events(answer: Response): AsyncGenerator<ResponseEvent> {
  let text = '';
  let isDone = false;
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      expect(isDone).toBe(false);
      const [, type, data] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
      if (data === undefined) {
        isDone = frame === 'data: [DONE]';
        expect(isDone || frame.startsWith(':')).toBe(true);
        continue;
      }
      const event = JSON.parse(data) as ResponseEvent;
      expect(event.type).toBe(type);
      expect(standardEventIssues(event)).toEqual([]);
      yield event;
    }
  }
  expect(isDone).toBe(true);
}

export async function readAll(stream: AsyncIterable<ResponseEvent>): Promise<ResponseEvent[]> {
  const all: ResponseEvent[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

export const numbersOf = (all: readonly ResponseEvent[]) => all.map(({ sequence_number }) => sequence_number);

export const textOf = (all: readonly ResponseEvent[]) =>
  all.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')).join('');
