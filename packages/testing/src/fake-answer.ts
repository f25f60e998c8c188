import { once as occurs } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { FakeBehavior } from './fake-behavior.ts';
import type { FakePiece } from './fake-pieces.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';
import { type FakeConversation, turnOf } from './fake-turn.ts';

export interface FrameContext {
  id: string;
  model: string;
  created: number;
  inputTokens: number;
  /** Input tokens from the provider's cache. */
  cached: number;
  body: Record<string, unknown>;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** Writes the frames of one answer. Keeps the necessary state of earlier pieces. */
export interface FrameWriter {
  open(): string;
  piece(piece: FakePiece): string;
  /** @param stoppedAt the text of the request that ended the answer */
  finish(reason: FinishReason, stoppedAt?: string): string;
  error(error: FakeBehavior['error']): string;
  /** The whole answer, after all its pieces. */
  whole(reason: FinishReason, stoppedAt?: string): unknown;
}

export interface ChatWire {
  name: string;
  read(body: Record<string, unknown>): FakeConversation;
  /** Finds mistakes that the real API would refuse with status 400. */
  check?(body: Record<string, unknown>, model: string): FakeBehavior['error'] | null;
  frames(context: FrameContext): FrameWriter;
  failure(behavior: FakeBehavior): { body: unknown; headers?: Record<string, string> };
  /** Default: always. */
  isStream?(body: Record<string, unknown>): boolean;
}

const SLICE_BYTES = 64 * 1024;
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const floods = new Map<string, Buffer>();

/** Returns the behavior of a model. `once` applies to its first request only. */
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
  const problem = wire.check?.(request.body, request.model) ?? null;
  if (problem !== null) return sendFailure(wire, { ...behavior, status: 400, error: problem }, response);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (behavior.pingMs > 0) {
    response.writeHead(200, STREAM_HEADERS);
    const pinging = setInterval(() => response.write(': ping\n\n'), behavior.pingMs);
    await pause(behavior.startMs, undefined, { signal: gone.signal }).finally(() => clearInterval(pinging));
  } else if (behavior.startMs > 0) await pause(behavior.startMs, undefined, { signal: gone.signal });
  if (behavior.ending === 'hang' && behavior.after === 0) return;
  if (behavior.kind === 'fail') return sendFailure(wire, behavior, response);

  if (wire.isStream?.(request.body) === false) {
    if (behavior.ending === 'cut') return void response.destroy();
    return sendJson(response, 200, wholeAnswer(wire, request, behavior).body);
  }
  const { frames, pieces, ended } = begin(wire, request, behavior);
  if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
  if (behavior.flood)
    return flood(
      `${wire.name}:${JSON.stringify(request.body.stream_options)}:${request.model}`,
      frames,
      pieces,
      request,
      response,
    );
  await stream(frames, pieces, ended, behavior, request, response, gone.signal);
}

/** Returns the whole answer to a request. */
export function wholeAnswer(
  wire: ChatWire,
  request: FakeRequest,
  behavior: FakeBehavior,
): { status: number; body: unknown } {
  const problem = wire.check?.(request.body, request.model) ?? null;
  if (problem !== null) return { status: 400, body: wire.failure({ ...behavior, status: 400, error: problem }).body };
  if (behavior.kind === 'fail') return { status: behavior.status, body: wire.failure(behavior).body };
  const { frames, pieces, ended } = begin(wire, request, behavior);
  request.wordsSent = pieces.length;
  for (const piece of pieces) frames.piece(piece);
  const reason = behavior.ending === 'filter' ? 'content_filter' : ended.reason;
  return { status: 200, body: frames.whole(reason, ended.stoppedAt) };
}

function begin(wire: ChatWire, request: FakeRequest, behavior: FakeBehavior) {
  const conversation = wire.read(request.body);
  const context: FrameContext = {
    id: `${wire.name}_${String(request.number).padStart(8, '0')}`,
    model: request.model,
    created: Math.floor(request.receivedAt / 1000),
    inputTokens: conversation.texts.join(' ').split(/\s+/).filter(Boolean).length,
    cached: behavior.cached,
    body: request.body,
  };
  const { pieces, ...ended } = limited(turnOf(behavior, conversation), request.body);
  return { frames: wire.frames(context), pieces, ended };
}

async function stream(
  frames: FrameWriter,
  pieces: FakePiece[],
  { reason, stoppedAt }: Ended,
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
      // Scheduled against the clock, so that late timers do not add up.
      const wait = startedAt + index * behavior.delayMs - performance.now();
      if (wait >= 1) await pause(wait, undefined, { signal: gone });
    } else if (index % 32 === 31) await nextTurn();
    if (gone.aborted) return;
    request.wordsSent = index + 1;
    if (!response.write(frames.piece(pieces[index]!))) await occurs(response, 'drain', { signal: gone });
  }
  switch (behavior.ending) {
    case null:
      return void response.end(frames.finish(reason, stoppedAt));
    case 'filter':
      return void response.end(frames.finish('content_filter'));
    case 'error':
      return void response.end(frames.error(behavior.error));
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
  pieces: FakePiece[],
  request: FakeRequest,
  response: ServerResponse,
): Promise<void> {
  let bytes = floods.get(key);
  if (bytes === undefined) {
    const all = [frames.open(), ...pieces.map((piece) => frames.piece(piece))];
    bytes = Buffer.from(all.join('') + frames.finish('stop'));
    floods.set(key, bytes);
  }
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (!response.write(bytes.subarray(at, at + SLICE_BYTES))) await occurs(response, 'drain');
    if (response.destroyed) return;
  }
  request.wordsSent = pieces.length;
  response.end();
}

interface Ended {
  reason: FinishReason;
  stoppedAt?: string | undefined;
}

/** Cuts the answer at the token limit (a word is a token here) and stop words of the request. */
function limited(pieces: FakePiece[], body: Record<string, unknown>): Ended & { pieces: FakePiece[] } {
  const stops = [body.stop ?? body.stop_sequences ?? []].flat().map(String);
  let kept = pieces;
  let stoppedAt: string | undefined;
  if (stops.length > 0) {
    const stopAt = pieces.findIndex(({ text }) => stops.some((stop) => text.trim() === stop.trim()));
    if (stopAt >= 0) {
      kept = pieces.slice(0, stopAt);
      stoppedAt = stops.find((stop) => pieces[stopAt]?.text.trim() === stop.trim());
    }
  }
  const { maxOutputTokens } = (body.generationConfig ?? {}) as { maxOutputTokens?: number };
  const limit = Number(
    body.max_tokens ??
      body.max_completion_tokens ??
      body.max_output_tokens ??
      maxOutputTokens ??
      Number.POSITIVE_INFINITY,
  );
  if (kept.length > limit) return { pieces: kept.slice(0, limit), reason: 'length' };
  return { pieces: kept, reason: kept.at(-1)?.type === 'call' ? 'tool_calls' : 'stop', stoppedAt };
}

export function sendFailure(wire: Pick<ChatWire, 'failure'>, behavior: FakeBehavior, response: ServerResponse): void {
  const { body, headers } = wire.failure(behavior);
  const retry: Record<string, string> = behavior.retryAfter === null ? {} : { 'retry-after': behavior.retryAfter };
  sendJson(response, behavior.status, body, headers ?? retry);
}
