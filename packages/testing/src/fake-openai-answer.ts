import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type FakeBehaviour, piecesOf } from './fake-openai-behaviour.ts';
import {
  chatFrames,
  type FinishReason,
  type FrameContext,
  type FrameWriter,
  responsesFrames,
} from './fake-openai-frames.ts';

/** One request as the fake saw it. Times are milliseconds since the epoch, so that processes can compare them. */
export interface FakeRequest {
  /** Counted from 1. */
  number: number;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  model: string;
  receivedAt: number;
  /** When the answer had ended or the client had gone; null while it runs. */
  closedAt: number | null;
  /** Whether the answer was sent whole; false when the client (or the fake's own cut) ended it before. */
  finished: boolean;
  wordsSent: number;
}

const SLICE_BYTES = 64 * 1024;
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const floods = new Map<string, Buffer>();

/** Answers one request of the chat or the responses API as `behaviour` says. */
export async function answerRequest(
  api: 'chat' | 'responses',
  request: FakeRequest,
  behaviour: FakeBehaviour,
  response: ServerResponse,
): Promise<void> {
  const { texts, last } = textsOf(request.body);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (behaviour.pingMs > 0) {
    response.writeHead(200, STREAM_HEADERS);
    const pinging = setInterval(() => response.write(': ping\n\n'), behaviour.pingMs);
    await pause(behaviour.startMs, undefined, { signal: gone.signal }).finally(() => clearInterval(pinging));
  } else if (behaviour.startMs > 0) await pause(behaviour.startMs, undefined, { signal: gone.signal });
  if (behaviour.ending === 'hang' && behaviour.after === 0) return;
  if (behaviour.kind === 'fail')
    return sendError(
      response,
      behaviour.status,
      { message: behaviour.error.message, type: behaviour.error.type, code: behaviour.error.code },
      behaviour.retryAfter === null ? {} : { 'retry-after': behaviour.retryAfter },
    );

  const context: FrameContext = {
    id: `${api === 'chat' ? 'chatcmpl' : 'resp'}_${String(request.number).padStart(8, '0')}`,
    model: request.model,
    created: Math.floor(request.receivedAt / 1000),
    inputTokens: texts.join(' ').split(/\s+/).filter(Boolean).length,
    includeUsage: (request.body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true,
  };
  const frames = api === 'chat' ? chatFrames(context) : responsesFrames(context);
  const { pieces, reason } = limited(piecesOf(behaviour, last), request.body);

  if (request.body.stream !== true) {
    if (behaviour.ending === 'cut') return void response.destroy();
    request.wordsSent = pieces.length;
    return sendJson(response, 200, frames.whole(pieces.join(''), pieces.length, reason));
  }
  if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
  if (behaviour.flood)
    return flood(`${api}:${context.includeUsage}:${request.model}`, frames, pieces, request, response);
  await stream(frames, pieces, reason, behaviour, request, response, gone.signal);
}

async function stream(
  frames: FrameWriter,
  pieces: string[],
  reason: FinishReason,
  behaviour: FakeBehaviour,
  request: FakeRequest,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  response.write(frames.open());
  const startedAt = performance.now();
  const end = behaviour.ending === null ? pieces.length : Math.min(behaviour.after, pieces.length);
  for (let index = 0; index < end; index += 1) {
    if (behaviour.delayMs > 0) {
      // Against the clock, not one after another: late timers must not add up.
      const wait = startedAt + index * behaviour.delayMs - performance.now();
      if (wait >= 1) await pause(wait, undefined, { signal: gone });
    } else if (index % 32 === 31) await nextTurn();
    if (gone.aborted) return;
    request.wordsSent = index + 1;
    if (!response.write(frames.delta(pieces[index] ?? '', index))) await once(response, 'drain', { signal: gone });
  }
  switch (behaviour.ending) {
    case null:
      return void response.end(frames.finish(pieces.join(''), pieces.length, reason));
    case 'filter':
      return void response.end(frames.finish(pieces.slice(0, end).join(''), end, 'content_filter'));
    case 'error':
      return void response.end(frames.error(behaviour.error, end));
    case 'hang':
      return;
    case 'cut':
      // Only once the words have left: a destroyed socket drops what it still holds.
      return void response.write(': cut\n\n', () => response.destroy());
  }
}

async function flood(
  key: string,
  frames: FrameWriter,
  pieces: string[],
  request: FakeRequest,
  response: ServerResponse,
): Promise<void> {
  let bytes = floods.get(key);
  if (bytes === undefined) {
    const all = [frames.open(), ...pieces.map((piece, index) => frames.delta(piece, index))];
    bytes = Buffer.from(all.join('') + frames.finish(pieces.join(''), pieces.length, 'stop'));
    floods.set(key, bytes);
  }
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (!response.write(bytes.subarray(at, at + SLICE_BYTES))) await once(response, 'drain');
    if (response.destroyed) return;
  }
  request.wordsSent = pieces.length;
  response.end();
}

/** What the request's own limits leave of the answer: its token limit (a word is a token here) and its stop words. */
function limited(pieces: string[], body: Record<string, unknown>): { pieces: string[]; reason: FinishReason } {
  const stops = [body.stop ?? []].flat().map(String);
  let kept = pieces;
  if (stops.length > 0) {
    const stopAt = pieces.findIndex((piece) => stops.some((stop) => piece.trim() === stop.trim()));
    if (stopAt >= 0) kept = pieces.slice(0, stopAt);
  }
  const limit = Number(
    body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? Number.POSITIVE_INFINITY,
  );
  return kept.length > limit ? { pieces: kept.slice(0, limit), reason: 'length' } : { pieces: kept, reason: 'stop' };
}

/** The texts of a request's messages, of either API, and the last one of the user. */
function textsOf(body: Record<string, unknown>): { texts: string[]; last: string } {
  const input = body.messages ?? body.input ?? [];
  const messages = (typeof input === 'string' ? [{ role: 'user', content: input }] : input) as {
    role?: string;
    content?: string | { text?: string }[];
  }[];
  const textOf = (content: string | { text?: string }[] | undefined) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  return {
    texts: messages.map((message) => textOf(message.content)),
    last: textOf(messages.findLast((message) => message.role === 'user')?.content),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function sendError(
  response: ServerResponse,
  status: number,
  error: { message: string; type: string; code: string | null },
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, { error: { ...error, param: null } }, headers);
}
