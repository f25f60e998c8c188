import { Readable } from 'node:stream';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type ChatSettings, ChorusError } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { expect } from 'vitest';
import { AnswerBody } from '../answer-body.ts';
import { toResponse } from '../call-fetch.ts';
import { openGate } from '../call-gate.ts';
import { NO_OBSERVER } from '../call-observer.ts';
import { toCallSettings } from '../call-settings.ts';
import { CallStatus } from '../call-status.ts';
import { watchOf } from '../call-watch.ts';
import type { ChatDialect } from '../chat-dialect.ts';
import { toPrompt } from '../chat-prompt.ts';
import { streamModel } from '../model-stream.ts';
import type { ChatPart } from '../provider-port.ts';
import { joinText, question } from '../test-answers.ts';
import type { MakeWire } from './wire.ts';

/** The bytes of an answer, and whether its connection broke afterwards. */
export interface Recording {
  model: string;
  bytes: Buffer;
  broke: boolean;
  /** The answer to a second request, which continues this one. */
  rest?: Recording;
}

export interface TestWire {
  provider: string;
  dialect: ChatDialect;
  make(fetch: typeof globalThis.fetch): (id: string) => LanguageModelV4;
  wire: MakeWire;
}

/** Asks a server through the package. Returns its answer as bytes, and as the package reads them. */
export async function record(wire: TestWire, model: string, settings: ChatSettings = {}) {
  let recording: Recording | null = null;
  const outcome = await outcomeOf(wire, model, settings, null, async (url, { signal, ...init } = {}) => {
    const response = await fetch(url, init);
    const chunks: Uint8Array[] = [];
    let broke = false;
    try {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    } catch {
      broke = true;
    }
    recording = { model, bytes: Buffer.concat(chunks), broke };
    return replay(recording, () => recording?.bytes.length ?? 0)(url, { signal: signal ?? null });
  });
  return { outcome, recording: recording as unknown as Recording };
}

/** Reads a recorded answer, in pieces of some sizes. @param by the package if null */
export const read = (
  wire: TestWire,
  recording: Recording,
  by: MakeWire | null,
  { settings = {}, size = () => recording.bytes.length }: { settings?: ChatSettings; size?: () => number } = {},
) => outcomeOf(wire, recording.model, settings, by, replay(recording, size));

function replay(recording: Recording, size: () => number): typeof globalThis.fetch {
  let next: Recording | undefined = recording;
  return async (_url, init) => {
    if (next === undefined) throw new TypeError('fetch failed');
    const { bytes, broke, rest }: Recording = next;
    next = rest;
    const pieces = function* () {
      for (let at = 0, next = 0; at < bytes.length; at = next) {
        next = at + Math.max(1, size());
        yield bytes.subarray(at, next);
      }
      if (broke) throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    };
    const body = Readable.from(pieces(), { objectMode: true });
    const watch = watchOf(init?.signal);
    const answer = () => ({ headers: { 'content-type': 'text/event-stream' } });
    return toResponse(new AnswerBody(body, body, watch), watch, 200, answer);
  };
}

async function outcomeOf(
  { provider, dialect, make }: TestWire,
  model: string,
  settings: ChatSettings,
  by: MakeWire | null,
  fetch: typeof globalThis.fetch,
) {
  const frame = {
    provider,
    dialect,
    secrets: [],
    idleTimeoutMs: 10_000,
    status: new CallStatus(),
    log: createLogger({ name: 'test', level: 'silent' }),
    gate: openGate,
    observer: NO_OBSERVER,
  };
  const call = { model, messages: question, settings };
  const options = {
    ...toCallSettings(settings, dialect, provider, model),
    prompt: toPrompt(question, dialect, `${provider}/${model}`),
  };
  const language = make(fetch)(model);
  const chat = { start: (abortSignal: AbortSignal) => language.doStream({ ...options, abortSignal }), wire: () => by };
  const parts: ChatPart[] = [];
  let error: { code: string; message: string } | null = null;
  try {
    // Without time, a failure is not retried.
    const limits = { signal: new AbortController().signal, executionId: 'exec_test', endsAt: performance.now() };
    for await (const part of streamModel(frame, call, chat, limits)) parts.push(part);
  } catch (thrown) {
    if (!(thrown instanceof ChorusError)) throw thrown;
    error = { code: thrown.code, message: thrown.message };
  }
  return { parts, error };
}

type Outcome = Awaited<ReturnType<typeof read>>;

/** Leaves out error messages, since ours are the same for all providers. */
export const coded = ({ parts, error }: Outcome) => ({ parts: joinText(parts), error: error?.code });

/** Expects the same answer from the wire as from the package, for pieces of any size. */
export async function expectSame(wire: TestWire, model: string, settings: ChatSettings = {}, same = expectEqual) {
  const { outcome, recording } = await record(wire, model, settings);
  expect(recording.bytes.length + Number(recording.broke)).toBeGreaterThan(0);
  const whole = await read(wire, recording, wire.wire, { settings });
  if (model.includes('refuse')) expectRefusal(whole, outcome);
  else same(coded(whole), coded(outcome));
  for (const size of [() => 1, sizes(1, 9), sizes(2, 90), sizes(3, 900)])
    expect(joined(await read(wire, recording, wire.wire, { settings, size }))).toEqual(joined(whole));
}

const joined = (outcome: Outcome): Outcome => ({ ...outcome, parts: joinText(outcome.parts) });

function expectEqual(ours: ReturnType<typeof coded>, theirs: ReturnType<typeof coded>): void {
  expect(ours).toEqual(theirs);
}

/** Packages show a refusal as text, and its end as a filter. */
function expectRefusal(ours: Outcome, theirs: Outcome): void {
  expect(ours.error).toBeNull();
  expect(ours.parts.map(({ type }) => type)).toEqual([...ours.parts.slice(1).map(() => 'refusal'), 'finish']);
  const shown = ours.parts.map((part) => (part.type === 'refusal' ? { ...part, type: 'text' } : part));
  expect(shown.slice(0, -1)).toEqual(theirs.parts.slice(0, -1));
  expect(shown.at(-1)).toEqual({ ...theirs.parts.at(-1), finish_reason: 'stop' });
}

/** Expects the same answer from the wire as from the package for a recording. */
export async function expectSameOf(wire: TestWire, recording: Recording): Promise<void> {
  const theirs = await read(wire, recording, null);
  const ours = await read(wire, recording, wire.wire);
  expect(coded(ours)).toEqual(coded(theirs));
  if (theirs.error?.message.endsWith('an invalid answer')) expect(ours.error).toEqual(theirs.error);
}

export const answerOf = (...events: string[]): Recording => ({
  model: 'recorded',
  bytes: Buffer.from(events.join('')),
  broke: false,
});

export const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** Returns sizes that look random, the same for each seed. */
export function sizes(seed: number, most: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 1 + (state % most);
  };
}

/** Other ways to write the same events. */
export const REWRITTEN: Record<string, (text: string) => string> = {
  'lines that end in CR LF': (text) => text.replaceAll('\n', '\r\n'),
  'lines that end in CR': (text) => text.replaceAll('\n', '\r'),
  'a byte order mark': (text) => `\ufeff${text}`,
  'comments, and fields that are not used': (text) =>
    text.replaceAll('data:', ': ping\nid: 7\nretry: 10\nnew: x\ndata:'),
  'data without a space': (text) => text.replaceAll('data: ', 'data:'),
  'events over several lines': (text) => text.replaceAll('data: {', 'data: {\ndata:'),
  'no empty line at the end': (text) => text.replace(/\n+$/, ''),
};
