import { once as occurs } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type FakeBehavior, piecesOf } from './fake-behavior.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';

export interface FrameContext {
  id: string;
  model: string;
  created: number;
  inputTokens: number;
  /** Whether a chat stream ends with a chunk of usage (`stream_options.include_usage`). */
  includeUsage: boolean;
}

export type FinishReason = 'stop' | 'length' | 'content_filter';

export interface FrameWriter {
  open(): string;
  delta(text: string, index: number): string;
  finish(text: string, words: number, reason: FinishReason): string;
  error(error: FakeBehavior['error'], index: number): string;
  whole?(text: string, words: number, reason: FinishReason): unknown;
}

export interface ChatWire {
  name: string;
  frames(context: FrameContext): FrameWriter;
  failure(behavior: FakeBehavior): { body: unknown; headers?: Record<string, string> };
  /** Default: always. */
  isStream?(body: Record<string, unknown>): boolean;
}

const SLICE_BYTES = 64 * 1024;
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const floods = new Map<string, Buffer>();

/** Returns the behavior of a model; `once` applies to its first request only. */
export function once(): (request: FakeRequest, behavior: FakeBehavior) => FakeBehavior {
  const seen = new Set<string>();
  return ({ model }, behavior) => {
    if (!behavior.once || !seen.has(model)) {
      seen.add(model);
      return behavior;
    }
    return { ...behavior, kind: behavior.kind === 'fail' ? 'words' : behavior.kind, ending: null };
  };
}

export async function answerRequest(
  wire: ChatWire,
  request: FakeRequest,
  behavior: FakeBehavior,
  response: ServerResponse,
): Promise<void> {
  const { texts, last } = textsOf(request.body);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (behavior.pingMs > 0) {
    response.writeHead(200, STREAM_HEADERS);
    const pinging = setInterval(() => response.write(': ping\n\n'), behavior.pingMs);
    await pause(behavior.startMs, undefined, { signal: gone.signal }).finally(() => clearInterval(pinging));
  } else if (behavior.startMs > 0) await pause(behavior.startMs, undefined, { signal: gone.signal });
  if (behavior.ending === 'hang' && behavior.after === 0) return;
  if (behavior.kind === 'fail') return sendFailure(wire, behavior, response);

  const context: FrameContext = {
    id: `${wire.name}_${String(request.number).padStart(8, '0')}`,
    model: request.model,
    created: Math.floor(request.receivedAt / 1000),
    inputTokens: texts.join(' ').split(/\s+/).filter(Boolean).length,
    includeUsage: (request.body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true,
  };
  const frames = wire.frames(context);
  const { pieces, reason } = limited(piecesOf(behavior, last), request.body);

  if (wire.isStream?.(request.body) === false) {
    if (behavior.ending === 'cut') return void response.destroy();
    request.wordsSent = pieces.length;
    return sendJson(response, 200, frames.whole?.(pieces.join(''), pieces.length, reason));
  }
  if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
  if (behavior.flood)
    return flood(`${wire.name}:${context.includeUsage}:${request.model}`, frames, pieces, request, response);
  await stream(frames, pieces, reason, behavior, request, response, gone.signal);
}

async function stream(
  frames: FrameWriter,
  pieces: string[],
  reason: FinishReason,
  behavior: FakeBehavior,
  request: FakeRequest,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  response.write(frames.open());
  const startedAt = performance.now();
  const end = behavior.ending === null ? pieces.length : Math.min(behavior.after, pieces.length);
  for (let index = 0; index < end; index += 1) {
    if (behavior.delayMs > 0) {
      // Against the clock, not one after another: late timers must not add up.
      const wait = startedAt + index * behavior.delayMs - performance.now();
      if (wait >= 1) await pause(wait, undefined, { signal: gone });
    } else if (index % 32 === 31) await nextTurn();
    if (gone.aborted) return;
    request.wordsSent = index + 1;
    if (!response.write(frames.delta(pieces[index] ?? '', index))) await occurs(response, 'drain', { signal: gone });
  }
  switch (behavior.ending) {
    case null:
      return void response.end(frames.finish(pieces.join(''), pieces.length, reason));
    case 'filter':
      return void response.end(frames.finish(pieces.slice(0, end).join(''), end, 'content_filter'));
    case 'error':
      return void response.end(frames.error(behavior.error, end));
    case 'hang':
      return;
    case 'cut':
      // Waits for the flush, because destroying the socket drops buffered bytes.
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

/** Cuts the answer at the token limit (a word is a token here) and stop words of the request. */
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

export function sendFailure(wire: Pick<ChatWire, 'failure'>, behavior: FakeBehavior, response: ServerResponse): void {
  const { body, headers } = wire.failure(behavior);
  const retry: Record<string, string> = behavior.retryAfter === null ? {} : { 'retry-after': behavior.retryAfter };
  sendJson(response, behavior.status, body, headers ?? retry);
}
