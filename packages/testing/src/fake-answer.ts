import { once as occurs } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type FakeBehaviour, piecesOf } from './fake-behaviour.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';

/** What one answer says of itself in every frame. */
export interface FrameContext {
  id: string;
  model: string;
  created: number;
  inputTokens: number;
  /** Whether a chat stream ends with a chunk of usage (`stream_options.include_usage`). */
  includeUsage: boolean;
}

export type FinishReason = 'stop' | 'length' | 'content_filter';

/** Writes one API's frames: what opens a stream, one frame for each piece, what ends it. */
export interface FrameWriter {
  open(): string;
  delta(text: string, index: number): string;
  finish(text: string, words: number, reason: FinishReason): string;
  error(error: FakeBehaviour['error'], index: number): string;
  /** The answer to a request that did not ask for a stream. */
  whole?(text: string, words: number, reason: FinishReason): unknown;
}

/** How one API speaks: its frames, and its answers with an error status. */
export interface ChatWire {
  name: string;
  frames(context: FrameContext): FrameWriter;
  failure(behaviour: FakeBehaviour): { body: unknown; headers?: Record<string, string> };
  /** Whether a request asks for a stream; absent: every one does. */
  isStream?(body: Record<string, unknown>): boolean;
}

const SLICE_BYTES = 64 * 1024;
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const floods = new Map<string, Buffer>();

/** What a model's name says, but that `once` holds for the first request of that name alone. */
export function once(): (request: FakeRequest, behaviour: FakeBehaviour) => FakeBehaviour {
  const seen = new Set<string>();
  return ({ model }, behaviour) => {
    if (!behaviour.once || !seen.has(model)) {
      seen.add(model);
      return behaviour;
    }
    return { ...behaviour, kind: behaviour.kind === 'fail' ? 'words' : behaviour.kind, ending: null };
  };
}

/** Answers one request for chat as `behaviour` says. */
export async function answerRequest(
  wire: ChatWire,
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
  if (behaviour.kind === 'fail') return sendFailure(wire, behaviour, response);

  const context: FrameContext = {
    id: `${wire.name}_${String(request.number).padStart(8, '0')}`,
    model: request.model,
    created: Math.floor(request.receivedAt / 1000),
    inputTokens: texts.join(' ').split(/\s+/).filter(Boolean).length,
    includeUsage: (request.body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true,
  };
  const frames = wire.frames(context);
  const { pieces, reason } = limited(piecesOf(behaviour, last), request.body);

  if (wire.isStream?.(request.body) === false) {
    if (behaviour.ending === 'cut') return void response.destroy();
    request.wordsSent = pieces.length;
    return sendJson(response, 200, frames.whole?.(pieces.join(''), pieces.length, reason));
  }
  if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
  if (behaviour.flood)
    return flood(`${wire.name}:${context.includeUsage}:${request.model}`, frames, pieces, request, response);
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
    if (!response.write(frames.delta(pieces[index] ?? '', index))) await occurs(response, 'drain', { signal: gone });
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
    if (!response.write(bytes.subarray(at, at + SLICE_BYTES))) await occurs(response, 'drain');
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
  const { maxOutputTokens } = (body.generationConfig ?? {}) as { maxOutputTokens?: number };
  const limit = Number(
    body.max_tokens ??
      body.max_completion_tokens ??
      body.max_output_tokens ??
      maxOutputTokens ??
      Number.POSITIVE_INFINITY,
  );
  return kept.length > limit ? { pieces: kept.slice(0, limit), reason: 'length' } : { pieces: kept, reason: 'stop' };
}

/** The texts of a request's messages, of whichever API, and the last one of the user. */
function textsOf(body: Record<string, unknown>): { texts: string[]; last: string } {
  const input = body.messages ?? body.input ?? body.contents ?? [];
  const messages = (typeof input === 'string' ? [{ role: 'user', content: input }] : input) as {
    role?: string;
    content?: string | { text?: string }[];
    parts?: { text?: string }[];
  }[];
  const textOf = (content: string | { text?: string }[] | undefined) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  const ask = messages.findLast((message) => message.role === 'user');
  return {
    texts: messages.map(({ content, parts }) => textOf(content ?? parts)),
    last: ask === undefined ? '' : textOf(ask.content ?? ask.parts),
  };
}

export function sendFailure(wire: Pick<ChatWire, 'failure'>, behaviour: FakeBehaviour, response: ServerResponse): void {
  const { body, headers } = wire.failure(behaviour);
  const retry: Record<string, string> = behaviour.retryAfter === null ? {} : { 'retry-after': behaviour.retryAfter };
  sendJson(response, behaviour.status, body, headers ?? retry);
}
